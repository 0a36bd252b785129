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

/** A lease as the server lists it. */
export interface Listed {
  readonly client: { readonly name: string };
  readonly pool: string;
  readonly dst: string;
  readonly src: string;
  readonly state: string;
}

/**
 * An NSM client that remembers what it was told. `held` is what the last acknowledged request gave it;
 * `unsure` says that something was asked for since and nobody knows whether it happened.
 */
export class LoadedClient {
  held: string | undefined;
  unsure = false;
  /** Everything this client was ever acknowledged. */
  acknowledged = 0;
  private connection: Record<string, unknown>;

  constructor(
    readonly name: string,
    private readonly endpoint: string,
  ) {
    this.connection = { id: `c-${name}`, path: { pathSegments: [{ name, id: `${name}-0` }] } };
  }

  private message(context: "right" | "empty"): Record<string, unknown> {
    return { connection: context === "right" ? this.connection : { ...this.connection, context: undefined } };
  }

  /** Takes note of an acknowledged connection; one that has other addresses than were acknowledged before is the failure looked for. */
  private heard(connection: Record<string, unknown>): void {
    const { ipContext } = (connection as { context: { ipContext: IpContext } }).context;
    // As sets: a context keeps the order its addresses came in, and one that lost an address to somebody gets the new one behind the others.
    const got = `${[...(ipContext.srcIpAddrs ?? [])].sort().join()} ${[...(ipContext.dstIpAddrs ?? [])].sort().join()}`;
    if (this.held !== undefined && !this.unsure && got !== this.held) throw new Error(`${this.name} had ${this.held} and got ${got}`);
    this.connection = connection;
    this.held = got;
    this.unsure = false;
    this.acknowledged++;
  }

  /** Asks, refreshes or heals; false when nobody answered. */
  async ask(agent: Agent, url: string, context: "right" | "empty"): Promise<boolean> {
    const answer = await send(agent, `${url}/v1/endpoints/${this.endpoint}/request`, "POST", this.message(context));
    if (answer === undefined) {
      // Whoever holds something holds it still; who held nothing may hold something now.
      this.unsure ||= this.held === undefined;
      return false;
    }
    if (answer.status !== 200) throw new Error(`${this.name}: ${answer.status} ${JSON.stringify(answer.body)}`);
    this.heard(answer.body as Record<string, unknown>);
    return true;
  }

  /** Closes, or cancels the grant it just got; false when nobody answered. */
  async end(kind: "close" | "cancel", agent: Agent, url: string): Promise<boolean> {
    const answer = await send(agent, `${url}/v1/endpoints/${this.endpoint}/${kind}`, "POST", this.connection);
    if (answer === undefined) {
      this.unsure = true;
      return false;
    }
    if (answer.status !== 200) throw new Error(`${this.name}: ${answer.status} ${JSON.stringify(answer.body)}`);
    this.held = undefined;
    this.acknowledged++;
    return true;
  }

  /** Several clients of one endpoint in one call; false when nobody answered. */
  static async askTogether(clients: readonly LoadedClient[], agent: Agent, url: string): Promise<boolean> {
    const answer = await send(agent, `${url}/v1/endpoints/${clients[0]!.endpoint}/requests`, "POST", clients.map((client) => client.message("right")));
    if (answer === undefined) for (const client of clients) client.unsure ||= client.held === undefined;
    if (answer === undefined) return false;
    if (answer.status !== 200) throw new Error(`a batch: ${answer.status} ${JSON.stringify(answer.body)}`);
    for (const [i, element] of (answer.body as Record<string, unknown>[]).entries()) {
      if (!("context" in element)) throw new Error(`${clients[i]!.name} in a batch: ${JSON.stringify(element)}`);
      clients[i]!.heard(element);
    }
    return true;
  }
}
