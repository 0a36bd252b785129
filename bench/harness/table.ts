/** The table: one line a row, ours beside the peer and the budget. */
import { convert, isRate, meets, timesBetter, type Peer, type Row } from "./row.js";
import type { GoPeers } from "./peers.js";
import type { Change } from "./baseline.js";

const heading = ["what", "ours", "min - max", "unit", "peer", "its figure", "times better", "budget", "met", "baseline"] as const;

/** Three figures that matter; thousands apart, so that 12 345 678 can be read. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return "-";
  const size = Math.abs(value);
  const decimals = size === 0 || size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4;
  const [whole, part] = value.toFixed(decimals).split(".") as [string, string?];
  const spaced = whole.replace(/\B(?=(\d{3})+$)/g, " ");
  return part === undefined ? spaced : `${spaced}.${part}`;
}

/** The peer of a row with its figure in the row's unit; a text where it could not be measured. */
export function peerOf(row: Row, go: GoPeers | undefined): Peer | string | undefined {
  const { peer } = row;
  if (peer === undefined || "value" in peer) return peer;
  if (go === undefined) return "not run";
  if (!go.ran) return go.reason;
  const found = go.rows.find((one) => one.name === peer.go);
  if (found === undefined) return "not measured";
  const value = convert(found.median, found.unit, row.unit);
  return value === undefined ? `measured in ${found.unit}` : { name: peer.go, value };
}

function cells(row: Row, go: GoPeers | undefined, change: Change | undefined): string[] {
  const found = peerOf(row, go);
  const peer = typeof found === "string" ? undefined : found;
  const { median, min, max } = row.figure;
  const met = meets(row, peer);
  return [
    row.name,
    number(median),
    min === max ? "" : `${number(min)} - ${number(max)}`,
    row.unit,
    row.peer === undefined ? "" : "go" in row.peer ? row.peer.go : row.peer.name,
    peer === undefined ? (found as string | undefined) ?? "" : number(peer.value),
    peer === undefined ? "" : `${number(timesBetter(row.unit, median, peer.value))}x`,
    budgetText(row),
    met === undefined ? "" : met ? "yes" : "NO",
    change === undefined ? "" : `${change.percent >= 0 ? "+" : ""}${change.percent.toFixed(0)} %${change.worse ? " WORSE" : ""}`,
  ];
}

function budgetText(row: Row): string {
  const { budget, unit } = row;
  if (budget === undefined) return "";
  if ("ofPeer" in budget) return `>= ${number(budget.ofPeer)}x peer`;
  return `${isRate(unit) ? ">=" : "<="} ${number(budget.limit)}`;
}

/** Each note once, behind the rows it is about. */
function notesOf(rows: readonly Row[]): string[] {
  const names = new Map<string, string[]>();
  for (const { name, note } of rows) if (note !== undefined) names.set(note, [...(names.get(note) ?? []), name]);
  return [...names].map(([note, about]) => `- ${about.join(", ")}: ${note}`);
}

/** A Markdown table with padded cells: readable in a terminal, and as it is in a report. */
export function table(rows: readonly Row[], go: GoPeers | undefined, changes: ReadonlyMap<string, Change>): string {
  const lines = rows.map((row) => cells(row, go, changes.get(row.name)));
  const used = heading.map((_, column) => column < 4 || lines.some((line) => line[column] !== ""));
  const keep = (line: readonly string[]): string[] => line.filter((_, column) => used[column]);
  const shown = [keep(heading), ...lines.map(keep)];
  const widths = keep(heading).map((_, column) => Math.max(...shown.map((line) => (line[column] as string).length)));
  const draw = (line: readonly string[]): string => `| ${line.map((cell, i) => cell.padEnd(widths[i] as number)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  const notes = notesOf(rows);
  return [draw(shown[0] as string[]), rule, ...shown.slice(1).map(draw), ...(notes.length === 0 ? [] : ["", ...notes])].join("\n");
}
