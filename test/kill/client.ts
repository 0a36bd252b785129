import { request as httpRequest, type Agent } from "node:http";

/** What the server said, or undefined when nobody knows: the connection broke before the answer. */
export type Answer = { readonly status: number; readonly body: unknown } | undefined;

/** One POST or PUT, or a GET without a body. Never rejects: a killed server is what this is about. */
export function send(agent: Agent, url: string, method: string, body?: unknown): Promise<Answer> {
  return new Promise((resolve) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const call = httpRequest(
      url,
      { agent, method, headers: text === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          try {
            const whole = Buffer.concat(chunks).toString();
            resolve({ status: response.statusCode ?? 0, body: whole === "" ? undefined : JSON.parse(whole) });
          } catch {
            resolve(undefined);
          }
        });
        response.on("error", () => resolve(undefined));
        response.on("aborted", () => resolve(undefined));
      },
    );
    call.on("error", () => resolve(undefined));
    call.end(text);
  });
}

interface IpContext {
  readonly srcIpAddrs?: readonly string[];
  readonly dstIpAddrs?: readonly string[];
}

/**
 * An NSM client that remembers what it was told. `held` is what the last acknowledged request gave it;
 * `unsure` says that something was asked for since and nobody knows whether it happened.
 */
export class LoadedClient {
  held: string | undefined;
  unsure = false;
  private connection: Record<string, unknown>;

  constructor(
    readonly name: string,
    private readonly endpoint: string,
  ) {
    this.connection = { id: `c-${name}`, path: { pathSegments: [{ name, id: `${name}-0` }] } };
  }

  /** Asks, refreshes or heals; gives the addresses if it was answered. */
  async ask(agent: Agent, url: string, context: "right" | "empty"): Promise<string | undefined> {
    const connection = context === "right" ? this.connection : { ...this.connection, context: undefined };
    const answer = await send(agent, `${url}/v1/endpoints/${this.endpoint}/request`, "POST", { connection });
    if (answer === undefined) {
      this.unsure ||= this.held === undefined;
      return undefined;
    }
    if (answer.status !== 200) throw new Error(`${this.name}: ${answer.status} ${JSON.stringify(answer.body)}`);
    this.connection = answer.body as Record<string, unknown>;
    const { ipContext } = (answer.body as { context: { ipContext: IpContext } }).context;
    return `${(ipContext.srcIpAddrs ?? []).join()} ${(ipContext.dstIpAddrs ?? []).join()}`;
  }

  async close(agent: Agent, url: string): Promise<void> {
    const answer = await send(agent, `${url}/v1/endpoints/${this.endpoint}/close`, "POST", this.connection);
    if (answer === undefined) this.unsure = true;
    else this.held = undefined;
  }
}
