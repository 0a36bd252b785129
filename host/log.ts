/** The server's own log: JSON lines on stderr. Requests leave an id, a duration and a status, never a body or a token. */
import { destination, pino } from "pino";
import type { Logger } from "pino";
import type { Config } from "./config/keys.js";

export function createLog(config: Pick<Config, "logLevel" | "realm">): Logger {
  // Synchronous: the line that says why a process ended must be there when it has ended.
  return pino(
    { level: config.logLevel, base: { realm: config.realm }, timestamp: () => `,"time":"${new Date().toISOString()}"` },
    destination({ dest: 2, sync: true }),
  );
}
