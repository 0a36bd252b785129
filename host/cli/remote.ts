/** What the commands that ask a server have in common: their flags, and the client made from them. */
import type { Command } from "commander";
import { exitCode } from "./exit-code.js";
import { CliFailure } from "./failure.js";
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
  // URLs take these for "here" and "one up", encoded or not: the server would never see the name.
  if (name === "." || name === "..") {
    throw new CliFailure(exitCode.usage, `${JSON.stringify(name)} cannot be asked for: no URL can hold it as a name.`, "", {
      code: "usage",
    });
  }
  return encodeURIComponent(name);
}
