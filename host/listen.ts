/** Where the server listens, and the rule that keeps an unprotected one on this machine. */
import { isIPv4, isIPv6 } from "node:net";

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`, `:8080` (every address). Undefined if it is none of these. */
export function parseListen(text: string): ListenAddress | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]*)):(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const port = Number(match[3]);
  const host = match[1] ?? match[2] ?? "";
  if (port > 65_535 || (match[1] !== undefined && !isIPv6(match[1]))) return undefined;
  return { host: host === "" ? "::" : host, port };
}

export function formatListen({ host, port }: ListenAddress): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Whether only this machine can reach it. */
export function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith("127.");
  if (isIPv6(host)) return new URL(`http://[${host}]/`).hostname === "[::1]";
  return host.toLowerCase() === "localhost";
}

/**
 * Why the server must not listen there, undefined if it may: without tokens anybody who reaches the port
 * could move every address of the realm.
 */
export function listenRefusal(address: ListenAddress, tokens: number): string | undefined {
  if (tokens > 0 || isLoopback(address.host)) return undefined;
  return `${formatListen(address)} can be reached from other machines, and no tokens are configured: anybody there could take and move addresses. Configure tokens (tokens or tokensFile), or listen on a loopback address such as 127.0.0.1:${address.port}.`;
}
