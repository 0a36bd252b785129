/**
 * Schemas of the NSM messages for the API description, made from the same table the reader uses. Requests
 * are not parsed with them: `read-message.ts` is faster; a test holds the two against each other.
 */
import { z } from "@hono/zod-openapi";
import type { ZodType } from "zod";
import type { Field, MessageType } from "./messages.js";
import { Connection, NetworkServiceRequest, timestampForm } from "./messages.js";

const made = new Map<string, ZodType>();

/** The message in camelCase; unknown fields are refused; null means absent, as in protobuf's JSON. */
export function schemaOf(type: MessageType): ZodType {
  let schema = made.get(type.name);
  if (schema === undefined) {
    const shape: Record<string, ZodType> = {};
    for (const field of type.fields.values()) {
      const element = elementSchema(field.type);
      shape[field.name] ??= (field.list ? z.array(element) : element).nullish();
    }
    made.set(type.name, (schema = z.strictObject(shape).openapi(type.name)));
  }
  return schema;
}

function elementSchema(type: Field["type"]): ZodType {
  switch (type) {
    case "string":
      return z.string();
    case "bool":
      return z.boolean();
    case "uint32":
      return integer(0, 0xffff_ffff);
    case "int32":
      return integer(-0x8000_0000, 0x7fff_ffff);
    case "timestamp":
      return z.string().regex(timestampForm);
    case "string-map":
      return z.record(z.string(), z.string());
    default:
      if (type.kind === "message") return schemaOf(type);
      return z.union([
        z.enum(type.values as [string, ...string[]]),
        z
          .int()
          .min(0)
          .max(type.values.length - 1),
      ]);
  }
}

function integer(min: number, max: number): ZodType {
  const text = z
    .string()
    .regex(/^-?\d{1,10}$/)
    .refine((digits) => Number(digits) >= min && Number(digits) <= max);
  return z.union([z.int().min(min).max(max), text]);
}

export const connectionSchema = schemaOf(Connection);
export const requestSchema = schemaOf(NetworkServiceRequest);
