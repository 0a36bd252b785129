/** A client of the demo: asks as an NSM client does, remembers what it was answered, brings it along next time. */
import type { Holding } from "./verdict.js";

/** Sends a JSON body to a path of the service and gives the JSON answer; throws on a refusal. */
export type Door = (method: "PUT" | "POST" | "GET", path: string, body?: unknown) => Promise<unknown>;

interface IpContext {
  readonly srcIpAddrs?: readonly string[];
  readonly dstIpAddrs?: readonly string[];
  readonly srcRoutes?: readonly { readonly prefix: string }[];
  readonly dstRoutes?: readonly { readonly prefix: string }[];
}

interface Connection {
  readonly id: string;
  readonly context?: { readonly ipContext?: IpContext };
}

/** `own`: brings the addresses of its last answer, as a healing NSM client does. `empty`: has forgotten them. */
export type Brings = "own" | "empty";

export interface Answered {
  readonly holding: Holding;
  readonly context: IpContext;
}

/** One request. `connection` changes when an endpoint was replaced: the client's name is what stays. */
export async function ask(
  door: Door,
  endpoint: string,
  client: string,
  connection: string,
  context: IpContext,
): Promise<Answered> {
  const request = {
    connection: {
      id: connection,
      networkService: "demo",
      context: { ipContext: context },
      path: {
        index: 1,
        pathSegments: [
          { name: client, id: `${client}-0` },
          { name: endpoint, id: connection },
        ],
      },
    },
  };
  const answer = (await door("POST", `/v1/endpoints/${endpoint}/request`, request)) as Connection;
  const answered = answer.context?.ipContext ?? {};
  return { context: answered, holding: { client, src: plain(answered.srcIpAddrs), dst: plain(answered.dstIpAddrs) } };
}

function plain(addresses: readonly string[] | undefined): string[] {
  return (addresses ?? []).map((address) => address.replace(/\/(32|128)$/, ""));
}
