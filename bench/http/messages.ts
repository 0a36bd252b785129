/** Requests as an NSM manager sends them, for the load and for the route that only answers. */

export interface RequestBody {
  readonly connection: {
    readonly id: string;
    readonly networkService: string;
    readonly mechanism: { readonly cls: string; readonly type: string };
    readonly context: { readonly ipContext: object };
    readonly labels: Readonly<Record<string, string>>;
    readonly path: { readonly index: number; readonly pathSegments: readonly { readonly name: string; readonly id: string }[] };
    readonly payload: string;
  };
}

/** The first request of client `client`: nothing in its context yet. */
export function requestBody(client: number): RequestBody {
  const name = `alpine-${client}`;
  return {
    connection: {
      id: `nse-kernel-${client}`,
      networkService: "icmp-responder",
      mechanism: { cls: "LOCAL", type: "KERNEL" },
      context: { ipContext: {} },
      labels: { nodeName: `worker-${client % 16}` },
      path: {
        index: 2,
        pathSegments: [
          { name, id: `${name}-0` },
          { name: `nsmgr-worker-${client % 16}`, id: `nsmgr-${client}` },
          { name: "nse-kernel", id: `nse-kernel-${client}` },
        ],
      },
      payload: "IP",
    },
  };
}

/** What the empty route answers: the connection as it came, with one pair of fixed addresses. */
export function fixedAnswer(body: RequestBody): object {
  const ipContext = {
    srcIpAddrs: ["10.0.0.1/32"],
    dstIpAddrs: ["10.0.0.0/32"],
    srcRoutes: [{ prefix: "10.0.0.0/32" }],
    dstRoutes: [{ prefix: "10.0.0.1/32" }],
  };
  return { ...body.connection, context: { ipContext } };
}
