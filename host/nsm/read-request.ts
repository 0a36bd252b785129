/**
 * From an NSM message to what the core is asked: who the client is, and every address its context names, in
 * a fixed order that `compose.ts` walks again with the core's verdicts.
 */
import { parsePrefix } from "../../events/address.js";
import type { Prefix } from "../../events/address.js";
import type { ClientIdentity, ContextItem, ContextPlace } from "../../events/command.js";
import { invalid, shown, tooLarge } from "../problem.js";
import { Connection, NetworkServiceRequest } from "./messages.js";
import type { ConnectionMessage, IPContextMessage, RouteMessage } from "./messages.js";
import { readMessage } from "./read-message.js";

/** Limits of the core, checked here first: cheaper, and the answer can name the field. */
export const excludedMax = 16_384;
export const itemsMax = 1024;
export const idBytesMax = 255;

export interface ReadConnection {
  readonly message: ConnectionMessage;
  readonly connection: string;
  readonly client: ClientIdentity;
}

export interface ReadRequest extends ReadConnection {
  readonly reselect: boolean;
  readonly excluded: readonly Prefix[];
  readonly items: readonly ContextItem[];
}

/** A Connection, as Close and Cancel send it. `root` is where it stands in the body, empty at the top. */
export function readConnection(value: unknown, root: string): ReadConnection {
  return identify(readMessage<ConnectionMessage>(value, Connection, root), root);
}

/** A NetworkServiceRequest. Refuses what cannot be understood; a missing context is an empty one. */
export function readRequest(value: unknown, root: string): ReadRequest {
  const request = readMessage<{ connection?: ConnectionMessage }>(value, NetworkServiceRequest, root);
  const connectionRoot = root === "" ? "connection" : `${root}.connection`;
  if (request.connection === undefined)
    throw invalid(connectionRoot, "required", `${connectionRoot} is missing; a NetworkServiceRequest carries the connection it asks for.`);
  const { message, connection, client } = identify(request.connection, connectionRoot);
  const context = message.context?.ipContext;
  const contextRoot = `${connectionRoot}.context.ipContext`;
  return {
    message,
    connection,
    client,
    reselect: message.state === "RESELECT_REQUESTED",
    excluded: context?.excludedPrefixes === undefined ? [] : readExcluded(context.excludedPrefixes, contextRoot),
    items: context === undefined ? [] : readItems(context, contextRoot),
  };
}

/**
 * Name and id of the first path segment: NSM keeps those through heal, reselect and a restart of the
 * client, while the connection id at the endpoint changes with the endpoint. Without a path the connection
 * id is all there is.
 */
function identify(message: ConnectionMessage, root: string): ReadConnection {
  const at = (field: string): string => (root === "" ? field : `${root}.${field}`);
  const connection = message.id ?? "";
  const first = message.path?.pathSegments?.[0];
  checkId(connection, () => at("id"));
  if (first === undefined) {
    if (connection === "")
      throw invalid(
        at("id"),
        "id-required",
        `${at("id")} is empty and there is no path: nothing says whose connection this is. Give the connection an id or a path.`,
      );
    return { message, connection, client: { name: "", id: connection } };
  }
  const client = { name: first.name ?? "", id: first.id ?? "" };
  if (client.id === "")
    throw invalid(
      at("path.pathSegments[0].id"),
      "id-required",
      `${at("path.pathSegments[0].id")} is empty; the first path segment's name and id say which client this is.`,
    );
  checkId(client.name, () => at("path.pathSegments[0].name"));
  checkId(client.id, () => at("path.pathSegments[0].id"));
  return { message, connection, client };
}

function checkId(id: string, field: () => string): void {
  // Every UTF-16 unit is at most three bytes, so most ids need no counting.
  if (id.length > idBytesMax / 3 && Buffer.byteLength(id) > idBytesMax) {
    throw invalid(field(), "id-bytes", `${field()} has ${Buffer.byteLength(id)} bytes; at most ${idBytesMax} are kept.`, {
      limit: idBytesMax,
    });
  }
  // An unpaired surrogate has no UTF-8: two different broken ids would be stored as one client.
  if (/[\ud800-\udfff]/.test(id) && /\p{Surrogate}/u.test(id)) {
    throw invalid(field(), "unicode", `${field()} holds half of a surrogate pair, which is no character.`);
  }
}

function readExcluded(texts: readonly string[], root: string): Prefix[] {
  if (texts.length > excludedMax) {
    throw tooLarge(
      `${root}.excludedPrefixes`,
      "excluded-count",
      excludedMax,
      `${root}.excludedPrefixes has ${texts.length} entries; at most ${excludedMax} are taken. Collapse neighbouring prefixes into shorter ones.`,
    );
  }
  return texts.map((text, index) => {
    const prefix = parsePrefix(text);
    if (prefix === undefined) throw notAnAddress(`${root}.excludedPrefixes[${index}]`, text, "a prefix like 10.0.0.0/8 or an address");
    return prefix;
  });
}

function notAnAddress(field: string, text: string, form: string): ReturnType<typeof invalid> {
  return invalid(field, "address-form", `${field} is ${shown(text)}, which is not ${form}.`);
}

/**
 * Every address of the context, in this order: source addresses, destination addresses, source routes,
 * destination routes (each: prefix, then next hop if any), policies (source if any, then the next hops of
 * their routes). `compose.ts` relies on it.
 */
function readItems(context: IPContextMessage, root: string): ContextItem[] {
  const items: ContextItem[] = [];
  const add = (place: ContextPlace, text: string, field: () => string): void => {
    const parsed = parsePrefix(text);
    if (parsed === undefined) throw notAnAddress(field(), text, "an address, or an address and a length like 172.16.1.1/32");
    if (items.length === itemsMax)
      throw tooLarge(
        root,
        "context-items",
        itemsMax,
        `${root} names more than ${itemsMax} addresses in its addresses, routes and policies.`,
      );
    items.push({ place, address: parsed.address, length: parsed.length });
  };
  const routes = (
    list: readonly RouteMessage[] | undefined,
    name: string,
    place: ContextPlace | undefined,
    hopPlace: ContextPlace,
  ): void => {
    list?.forEach((route, index) => {
      if (place !== undefined) add(place, route.prefix ?? "", () => `${root}.${name}[${index}].prefix`);
      if (hasText(route.nextHop)) add(hopPlace, route.nextHop, () => `${root}.${name}[${index}].nextHop`);
    });
  };
  context.srcIpAddrs?.forEach((text, index) => add("src-address", text, () => `${root}.srcIpAddrs[${index}]`));
  context.dstIpAddrs?.forEach((text, index) => add("dst-address", text, () => `${root}.dstIpAddrs[${index}]`));
  routes(context.srcRoutes, "srcRoutes", "src-route", "src-route-next-hop");
  routes(context.dstRoutes, "dstRoutes", "dst-route", "dst-route-next-hop");
  context.policies?.forEach((policy, index) => {
    if (hasText(policy.from)) add("policy-from", policy.from, () => `${root}.policies[${index}].from`);
    routes(policy.routes, `policies[${index}].routes`, undefined, "policy-next-hop");
  });
  return items;
}

/** Absent and empty are the same in protobuf. */
export function hasText(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}
