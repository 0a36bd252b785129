/**
 * What the process says when it ends. Scripts rely on these numbers: a meaning never changes, and
 * `holdfast --help` lists them.
 */
export const exitCode = {
  ok: 0,
  /** It did not work, and none of the reasons below is why. */
  failure: 1,
  /** The command line, the configuration or a file it names is wrong; nothing was done. */
  usage: 2,
  /** The server, or the log, understood the request and refused it. */
  refused: 3,
  /** No answer from the server: it is not running, or not there. */
  unreachable: 4,
  /** The log's bytes are not what was written. */
  corrupt: 5,
  /** Another process has the log open for writing. */
  locked: 6,
  /** 128 + SIGINT, as shells count. */
  interrupted: 130,
  /** 128 + SIGTERM. */
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** The lines `holdfast --help` ends with. */
export const exitCodeHelp = `Exit codes:
  0  it worked                       4  the server cannot be reached
  1  it did not work                 5  the log is damaged
  2  wrong command line or settings  6  another process holds the log
  3  refused, with the reason        130, 143  interrupted, terminated`;
