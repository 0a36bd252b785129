/** What is wrong with the configuration: everything at once, each with where it was set. */

export interface ConfigFault {
  /** The key as people set it there: `--data-dir`, `HOLDFAST_LISTEN`, `listen in holdfast.json`. */
  readonly where: string;
  readonly message: string;
}

export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(readonly faults: readonly ConfigFault[]) {
    super(faults.map(({ where, message }) => `${where}: ${message}`).join("\n"));
  }
}

/** Thrown by the reader of one value: only it knows what the value should be. */
export class ValueFault extends Error {
  override readonly name = "ValueFault";
}
