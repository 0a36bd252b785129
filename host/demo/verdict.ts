/**
 * Did anybody move? Compares what clients had with what they have. Decides the demo's verdict; talks to
 * nobody.
 */

/** What one client was answered: all addresses, because an old one left beside the new one is the fault to find. */
export interface Holding {
  readonly client: string;
  /** The client's own side. */
  readonly src: readonly string[];
  /** The endpoint's side. */
  readonly dst: readonly string[];
}

export type Mark = "kept" | "new" | "MOVED" | "LOST";

export interface Row {
  readonly client: string;
  readonly before?: Holding;
  readonly after?: Holding;
  readonly mark: Mark;
}

export interface Verdict {
  readonly rows: readonly Row[];
  /** Addresses that stand in the answers of two clients. */
  readonly shared: readonly string[];
  readonly ok: boolean;
}

/** One row per client, those who were there before first. */
export function judge(before: readonly Holding[], after: readonly Holding[]): Verdict {
  const rows: Row[] = before.map((old) => {
    const now = after.find((holding) => holding.client === old.client);
    if (now === undefined) return { client: old.client, before: old, mark: "LOST" };
    return { client: old.client, before: old, after: now, mark: same(old, now) ? "kept" : "MOVED" };
  });
  for (const now of after) {
    if (!before.some((old) => old.client === now.client)) rows.push({ client: now.client, after: now, mark: "new" });
  }
  const shared = sharedAddresses(after);
  return { rows, shared, ok: shared.length === 0 && rows.every((row) => row.mark === "kept" || row.mark === "new") };
}

function same(a: Holding, b: Holding): boolean {
  return a.src.join() === b.src.join() && a.dst.join() === b.dst.join();
}

function sharedAddresses(holdings: readonly Holding[]): string[] {
  const holder = new Map<string, string>();
  const shared = new Set<string>();
  for (const { client, src, dst } of holdings) {
    for (const address of [...src, ...dst]) {
      const other = holder.get(address);
      if (other !== undefined && other !== client) shared.add(address);
      holder.set(address, client);
    }
  }
  return [...shared];
}

/** Every order of `things`, the given one first. */
export function orders<T>(things: readonly T[]): T[][] {
  if (things.length <= 1) return [[...things]];
  return things.flatMap((first, index) =>
    orders([...things.slice(0, index), ...things.slice(index + 1)]).map((rest) => [first, ...rest]),
  );
}
