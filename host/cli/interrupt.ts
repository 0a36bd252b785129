/** Ctrl-C and SIGTERM as an abort, for commands that have something to clean up before they end. */
import { exitCode } from "./exit-code.js";
import { CliFailure } from "./failure.js";

/**
 * Runs `work`, whose signal aborts at SIGINT or SIGTERM. When `work` then fails, the failure is the interruption:
 * `left` says what is left behind, in a sentence.
 */
export async function interruptible<T>(left: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController();
  let received: NodeJS.Signals | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    received ??= signal;
    interruption.abort();
  };
  process.on("SIGINT", stop).on("SIGTERM", stop);
  try {
    return await work(interruption.signal);
  } catch (error) {
    if (received === undefined) throw error;
    throw new CliFailure(received === "SIGINT" ? exitCode.interrupted : exitCode.terminated, left, "", {}, { cause: error });
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
  }
}
