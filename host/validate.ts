/**
 * Values by schema, for the routes that are not on the way of every lease: the first broken rule as a
 * problem, the others as facts beside it.
 */
import type { ZodType, z } from "zod";
import { invalid } from "./problem.js";
import { parseJson } from "./json.js";
import type { Json } from "./json-value.js";
import { spellPath } from "./nsm/read-message.js";

const faultsShown = 20;

/** What zod calls a fault -> the rule's stable name here. */
const ruleOf: Readonly<Record<string, string>> = {
  invalid_type: "type",
  unrecognized_keys: "unknown-field",
  too_big: "max",
  too_small: "min",
  invalid_value: "one-of",
  invalid_format: "format",
  invalid_union: "type",
  not_multiple_of: "integer",
};

/** JSON `text` as `schema` describes it; refuses `invalid` with field and rule. */
export function readJson<T extends ZodType>(text: string, schema: T): z.output<T> {
  return validate(parseJson(text), schema);
}

export function validate<T extends ZodType>(value: unknown, schema: T): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const faults = result.error.issues.slice(0, faultsShown).map((issue) => {
    const path = issue.path.filter((step): step is string | number => typeof step !== "symbol");
    if (issue.code === "unrecognized_keys") {
      const field = spellPath("", [...path, (issue.keys[0] ?? "").slice(0, 64)]);
      return { field, rule: "unknown-field", detail: `${field} is not a field here.` };
    }
    const field = spellPath("", path);
    const rule =
      issue.code === "custom" && typeof issue.params?.["rule"] === "string" ? issue.params["rule"] : (ruleOf[issue.code ?? ""] ?? "form");
    return { field, rule, detail: `${field === "" ? "The body" : field}: ${issue.message}` };
  });
  const [first, ...others] = faults;
  if (first === undefined) throw invalid("", "form", "The value does not fit.");
  throw invalid(first.field, first.rule, first.detail, others.length === 0 ? {} : { others: others as unknown as Json });
}
