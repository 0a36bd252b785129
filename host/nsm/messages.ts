/**
 * The NSM messages that pass here, by their names in the proto files. One table feeds the reader of requests
 * and the schemas of the API description, so the two cannot know different fields.
 *
 * JSON spells a field either way (`src_ip_addrs`, `srcIpAddrs`); answers use the second.
 */

export interface EnumType {
  readonly kind: "enum";
  readonly name: string;
  /** Names by number. */
  readonly values: readonly string[];
}

export interface MessageType {
  readonly kind: "message";
  readonly name: string;
  /** Every accepted spelling -> field. */
  readonly fields: ReadonlyMap<string, Field>;
}

export type ScalarType = "string" | "bool" | "uint32" | "int32" | "timestamp" | "string-map";

/** RFC 3339 with at most nanoseconds, as protobuf writes a Timestamp. */
export const timestampForm =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

export interface Field {
  /** camelCase, as answers spell it. */
  readonly name: string;
  readonly type: ScalarType | EnumType | MessageType;
  readonly list: boolean;
}

/** A field that may come more than once. */
const many = (type: Field["type"]): { readonly many: Field["type"] } => ({ many: type });

/** The JSON name protobuf gives a field: underscores go, the letter behind one is raised. */
function jsonName(protoName: string): string {
  return protoName.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Spellings people write that the proto files do not have. */
const aliases: Readonly<Record<string, readonly string[]>> = { nextHop: ["next_hop"], MTU: ["mtu"] };

function message(name: string, fields: Readonly<Record<string, Field["type"] | { readonly many: Field["type"] }>>): MessageType {
  const spellings = new Map<string, Field>();
  for (const [protoName, declared] of Object.entries(fields)) {
    const list = typeof declared === "object" && "many" in declared;
    const field: Field = { name: jsonName(protoName), type: list ? declared.many : declared, list };
    for (const spelling of [field.name, protoName, ...(aliases[protoName] ?? [])]) spellings.set(spelling, field);
  }
  return { kind: "message", name, fields: spellings };
}

export const State: EnumType = { kind: "enum", name: "State", values: ["UP", "DOWN", "REFRESH_REQUESTED", "RESELECT_REQUESTED"] };
const Family: EnumType = { kind: "enum", name: "IpFamily.Family", values: ["IPV4", "IPV6"] };

export const Route = message("Route", { prefix: "string", nextHop: "string" });

export const PolicyRoute = message("PolicyRoute", {
  from: "string",
  proto: "string",
  dst_port: "string",
  src_port: "string",
  routes: many(Route),
});

export const IPContext = message("IPContext", {
  src_ip_addrs: many("string"),
  dst_ip_addrs: many("string"),
  src_ip_required: "bool",
  dst_ip_required: "bool",
  src_routes: many(Route),
  dst_routes: many(Route),
  excluded_prefixes: many("string"),
  ip_neighbors: many(message("IpNeighbor", { ip: "string", hardware_address: "string" })),
  extra_prefix_request: many(
    message("ExtraPrefixRequest", {
      addr_family: message("IpFamily", { family: Family }),
      prefix_len: "uint32",
      required_number: "uint32",
      requested_number: "uint32",
    }),
  ),
  extra_prefixes: many("string"),
  policies: many(PolicyRoute),
});

export const Mechanism = message("Mechanism", { cls: "string", type: "string", parameters: "string-map" });

export const Connection = message("Connection", {
  id: "string",
  network_service: "string",
  mechanism: Mechanism,
  context: message("ConnectionContext", {
    ip_context: IPContext,
    dns_context: message("DNSContext", {
      configs: many(message("DNSConfig", { dns_server_ips: many("string"), search_domains: many("string") })),
    }),
    ethernet_context: message("EthernetContext", { src_mac: "string", dst_mac: "string", vlan_tag: "int32" }),
    extra_context: "string-map",
    MTU: "uint32",
  }),
  labels: "string-map",
  path: message("Path", {
    index: "uint32",
    path_segments: many(
      message("PathSegment", { name: "string", id: "string", token: "string", expires: "timestamp", metrics: "string-map" }),
    ),
  }),
  network_service_endpoint_name: "string",
  payload: "string",
  state: State,
});

export const NetworkServiceRequest = message("NetworkServiceRequest", { connection: Connection, mechanism_preferences: many(Mechanism) });

/** A Connection as read: camelCase, checked; what is not named here is carried along unchanged. */
export interface ConnectionMessage {
  readonly id?: string;
  readonly state?: string;
  readonly context?: { readonly ipContext?: IPContextMessage; readonly [name: string]: unknown };
  readonly path?: { readonly pathSegments?: readonly { readonly name?: string; readonly id?: string }[] };
  readonly [name: string]: unknown;
}

export interface RouteMessage {
  readonly prefix?: string;
  readonly nextHop?: string;
}

export interface PolicyRouteMessage {
  readonly from?: string;
  readonly routes?: readonly RouteMessage[];
  readonly [name: string]: unknown;
}

export interface IPContextMessage {
  readonly srcIpAddrs?: readonly string[];
  readonly dstIpAddrs?: readonly string[];
  readonly srcRoutes?: readonly RouteMessage[];
  readonly dstRoutes?: readonly RouteMessage[];
  readonly excludedPrefixes?: readonly string[];
  readonly policies?: readonly PolicyRouteMessage[];
  readonly [name: string]: unknown;
}
