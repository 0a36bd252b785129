/** What the commands that ask a server have in common: their flags, and the client made from them. */
import type { Command } from "commander";
import { jsonOption, tokenOption, urlOption } from "./options.js";
import { ServerClient } from "./server-client.js";

export interface RemoteFlags {
  readonly url: string;
  readonly token?: string;
  readonly json?: boolean;
}

/** Adds --url, --token and --json, in this order, behind the command's own. */
export function remote(command: Command): Command {
  return command.addOption(urlOption()).addOption(tokenOption()).addOption(jsonOption());
}

export function serverOf(flags: RemoteFlags): ServerClient {
  return new ServerClient(flags.url, flags.token === undefined || flags.token === "" ? undefined : flags.token);
}

/** A name or id as one segment of a path: a slash in it must not reach another resource. */
export function segment(name: string): string {
  // "." and ".." are taken out of a path by the URL parser, encoded or not; the server would never see them.
  if (name === "." || name === "..") return `%2E${name.slice(1)}`.replace(".", "%2E");
  return encodeURIComponent(name);
}
