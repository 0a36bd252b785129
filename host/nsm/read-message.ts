/**
 * Reads a parsed JSON value as one of the NSM messages: known fields in either spelling, right types, and
 * nothing else. One pass, by hand: on the way of every lease request, a schema library costs more than the
 * lease itself (bench/). test/http holds it against the schemas of the API description.
 */
import { invalid, shown } from "../problem.js";
import { timestampForm } from "./messages.js";
import type { Field, MessageType } from "./messages.js";

/** A value that is not what its field may hold; the way to it is put together while the error rises. */
class Misfit extends Error {
  readonly path: (string | number)[] = [];
  constructor(
    readonly rule: string,
    readonly sentence: string,
  ) {
    super(sentence);
  }
}

/**
 * `value` as `type`, field names in camelCase, nulls (protobuf's "absent") left out, enum numbers as names.
 * Refuses `invalid` with the path to the value under `root`, in camelCase as answers spell it.
 */
export function readMessage<T>(value: unknown, type: MessageType, root: string): T {
  try {
    return message(value, type) as T;
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    const field = spellPath(root, error.path);
    throw invalid(field, error.rule, `${field === "" ? "The body" : field} ${error.sentence}`);
  }
}

/** `a.b[3].c` */
export function spellPath(root: string, path: readonly (string | number)[]): string {
  let text = root;
  for (const step of path) text += typeof step === "number" ? `[${step}]` : text === "" ? step : `.${step}`;
  return text;
}

type Fields = Record<string, unknown>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Checks in place and gives the same object back when it is camelCase already, which is nearly always: copying
 * every object of a request property by property costs as much as parsing it did.
 */
function message(value: unknown, type: MessageType): Fields {
  if (!isFields(value)) throw new Misfit("type", `must be an object (${type.name}), not ${kindOf(value)}.`);
  let canonical = true;
  for (const spelling in value) {
    const field = type.fields.get(spelling);
    if (field === undefined) throw unknownField(spelling, type);
    const given = value[spelling];
    if (given === null || field.name !== spelling) canonical = false;
    if (given === null || (field.type === "string" && typeof given === "string" && !field.list)) continue;
    try {
      const read = field.list ? list(given, field) : single(given, field.type);
      if (read !== given) value[spelling] = read;
    } catch (error) {
      if (error instanceof Misfit) error.path.unshift(field.name);
      throw error;
    }
  }
  return canonical ? value : respelt(value, type);
}

/** The same fields in camelCase, without nulls. */
function respelt(value: Fields, type: MessageType): Fields {
  const copy: Fields = {};
  for (const spelling in value) {
    const given = value[spelling];
    const name = type.fields.get(spelling)?.name ?? spelling;
    if (given === null) continue;
    if (name in copy) {
      const misfit = new Misfit("one-spelling", "is given twice, as snake_case and as camelCase; give it once.");
      misfit.path.push(name);
      throw misfit;
    }
    copy[name] = given;
  }
  return copy;
}

function unknownField(spelling: string, type: MessageType): Misfit {
  const known = [...new Set([...type.fields.values()].map((field) => field.name))].join(", ");
  const misfit = new Misfit("unknown-field", `is not a field of ${type.name}; it has ${known}.`);
  misfit.path.push(spelling.length <= 64 ? spelling : `${spelling.slice(0, 60)}...`);
  return misfit;
}

function list(given: unknown, field: Field): unknown[] {
  if (!Array.isArray(given)) throw new Misfit("type", `must be an array, not ${kindOf(given)}.`);
  const { type } = field;
  for (let index = 0; index < given.length; index++) {
    const element: unknown = given[index];
    // In place: the array came out of JSON.parse and is ours.
    if (type === "string" && typeof element === "string") continue;
    try {
      given[index] = single(element, type);
    } catch (error) {
      if (error instanceof Misfit) error.path.unshift(index);
      throw error;
    }
  }
  return given;
}

function single(given: unknown, type: Field["type"]): unknown {
  if (type === "string") {
    if (typeof given !== "string") throw new Misfit("type", `must be a string, not ${kindOf(given)}.`);
    return given;
  }
  if (type === "string-map") {
    if (!isFields(given)) throw new Misfit("type", `must be an object of strings, not ${kindOf(given)}.`);
    for (const name in given) {
      const value = given[name];
      if (typeof value === "string") continue;
      const misfit = new Misfit("type", `must be a string, not ${kindOf(value)}.`);
      misfit.path.push(name.length <= 64 ? name : `${name.slice(0, 60)}...`);
      throw misfit;
    }
    return given;
  }
  if (type === "bool") {
    if (typeof given !== "boolean") throw new Misfit("type", `must be true or false, not ${kindOf(given)}.`);
    return given;
  }
  if (type === "uint32" || type === "int32") {
    // protobuf's JSON writes small integers as numbers and reads them from strings too.
    const number = typeof given === "string" && /^-?\d{1,10}$/.test(given) ? Number(given) : given;
    const [min, max] = type === "uint32" ? [0, 0xffff_ffff] : [-0x8000_0000, 0x7fff_ffff];
    if (typeof number !== "number" || !Number.isInteger(number) || number < min || number > max) {
      throw new Misfit(
        "type",
        `must be a whole number from ${min} to ${max}, not ${typeof given === "number" ? String(given) : kindOf(given)}.`,
      );
    }
    return given;
  }
  if (type === "timestamp") {
    if (typeof given !== "string" || !timestampForm.test(given))
      throw new Misfit(
        "timestamp",
        `must be a time like "2026-11-30T10:00:00Z", not ${typeof given === "string" ? shown(given) : kindOf(given)}.`,
      );
    return given;
  }
  if (type.kind === "enum") {
    if (typeof given === "string" && type.values.includes(given)) return given;
    const name = typeof given === "number" ? type.values[given] : undefined;
    if (name === undefined)
      throw new Misfit(
        "one-of",
        `must be one of ${type.values.join(", ")} or its number, not ${typeof given === "string" ? shown(given) : kindOf(given)}.`,
      );
    return name;
  }
  return message(given, type);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  if (typeof value === "string") return "a string";
  return String(value);
}
