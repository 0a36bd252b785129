/** The reader on the way of every lease against the schemas of the API description: same documents, same verdict. */
import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { NetworkServiceRequest } from "#host/nsm/messages.js";
import type { Field, MessageType } from "#host/nsm/messages.js";
import { readMessage } from "#host/nsm/read-message.js";
import { requestSchema } from "#host/nsm/schema.js";
import { Problem } from "#host/problem.js";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const wrong: fc.Arbitrary<Json> = fc.oneof(
  fc.constant<Json>(null),
  fc.boolean(),
  fc.integer({ min: -5, max: 5_000_000_000 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom<Json>("", "12", "-1", "4294967296", "UP", "2026-11-30T10:00:00Z"),
  fc.constant<Json>([]),
  fc.constant<Json>({}),
  fc.constant<Json>([null]),
);

function right(type: Field["type"]): fc.Arbitrary<Json> {
  switch (type) {
    case "string":
      return fc.string({ maxLength: 8 });
    case "bool":
      return fc.boolean();
    case "uint32":
      return fc.oneof(fc.integer({ min: 0, max: 0xffff_ffff }), fc.integer({ min: 0, max: 9999 }).map(String));
    case "int32":
      return fc.integer();
    case "timestamp":
      return fc.constantFrom("2026-11-30T10:00:00Z", "2026-11-30T10:00:00.123456789+02:00", "2026-12-31T23:59:60Z");
    case "string-map":
      return fc.dictionary(fc.constantFrom("app", "tier"), fc.string({ maxLength: 4 }));
    default:
      return type.kind === "message" ? message(type) : fc.oneof(fc.constantFrom(...type.values), fc.nat({ max: type.values.length - 1 }));
  }
}

/** Some of the fields, one in twenty with a value that may be wrong, now and then one that does not exist. */
function message(type: MessageType): fc.Arbitrary<Json> {
  const shape: Record<string, fc.Arbitrary<Json>> = {};
  for (const field of type.fields.values()) {
    const good = field.list ? (fc.array(right(field.type), { maxLength: 3 }) as fc.Arbitrary<Json>) : right(field.type);
    shape[field.name] = fc.oneof({ arbitrary: good, weight: 19 }, { arbitrary: wrong, weight: 1 });
  }
  return fc
    .tuple(fc.record(shape, { requiredKeys: [] }), fc.integer({ min: 0, max: 39 }), wrong)
    .map(([fields, strange, value]) => (strange === 0 ? { ...fields, notAField: value } : fields) as Json);
}

function accepted(document: Json): { ok: boolean; field?: unknown } {
  try {
    readMessage(structuredClone(document), NetworkServiceRequest, "");
    return { ok: true };
  } catch (error) {
    if (error instanceof Problem && error.code === "invalid") return { ok: false, field: error.facts["field"] };
    throw error;
  }
}

/** snake_case, as the proto files and Go's debug output write. */
function snake(value: Json): Json {
  if (Array.isArray(value)) return value.map(snake);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name === "MTU" ? "mtu" : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      snake(inner),
    ]),
  );
}

describe("the reader of NSM messages", () => {
  test("accepts and refuses what the published schema does", () => {
    let refused = 0;
    fc.assert(
      fc.property(message(NetworkServiceRequest), (document) => {
        const bySchema = requestSchema.safeParse(document).success;
        const byReader = accepted(document);
        if (!bySchema) refused++;
        expect(byReader.ok, JSON.stringify(document)).toBe(bySchema);
      }),
      { numRuns: 1000 },
    );
    // Both kinds must have come up, or the property says nothing.
    expect(refused).toBeGreaterThan(100);
    expect(refused).toBeLessThan(900);
  });

  test("reads snake_case as camelCase", () => {
    const document: Json = {
      connection: {
        id: "c",
        networkService: "s",
        networkServiceEndpointName: "e",
        context: {
          MTU: 1500,
          ipContext: {
            srcIpAddrs: ["10.0.0.1/32"],
            dstIpAddrs: [],
            srcIpRequired: true,
            srcRoutes: [{ prefix: "10.0.0.0/32", nextHop: "10.0.0.2" }],
            excludedPrefixes: ["10.1.0.0/16"],
            ipNeighbors: [{ ip: "10.0.0.2", hardwareAddress: "0:0" }],
            extraPrefixRequest: [{ addrFamily: { family: "IPV6" }, prefixLen: 64, requiredNumber: 1, requestedNumber: 2 }],
            extraPrefixes: [],
            policies: [{ from: "10.0.0.1/32", dstPort: "80", srcPort: "1", proto: "6", routes: [] }],
          },
          dnsContext: { configs: [{ dnsServerIps: ["10.0.0.53"], searchDomains: ["a.b"] }] },
          ethernetContext: { srcMac: "0:1", dstMac: "0:2", vlanTag: 7 },
          extraContext: { a: "b" },
        },
        path: { index: 1, pathSegments: [{ name: "n", id: "i", token: "t", expires: "2026-11-30T10:00:00Z", metrics: { m: "1" } }] },
      },
      mechanismPreferences: [{ cls: "LOCAL", type: "KERNEL", parameters: {} }],
    };
    expect(readMessage(snake(document), NetworkServiceRequest, "")).toEqual(readMessage(document, NetworkServiceRequest, ""));
  });

  test("names the path of an unknown field, a wrong type and a field given in both spellings", () => {
    expect(accepted({ connection: { context: { ipContext: { srcRoutes: [{ prefix: "a", via: "b" }] } } } })).toEqual({
      ok: false,
      field: "connection.context.ipContext.srcRoutes[0].via",
    });
    expect(accepted({ connection: { path: { path_segments: [{ name: 7 }] } } })).toEqual({
      ok: false,
      field: "connection.path.pathSegments[0].name",
    });
    expect(accepted({ connection: { network_service: "a", networkService: "b" } })).toEqual({
      ok: false,
      field: "connection.networkService",
    });
    expect(accepted(JSON.parse('{"connection":{"__proto__":{"id":"x"}}}') as Json)).toEqual({ ok: false, field: "connection.__proto__" });
  });

  test("gives enum numbers their names and leaves nulls out", () => {
    expect(readMessage({ connection: { id: null, state: 3 } }, NetworkServiceRequest, "")).toEqual({
      connection: { state: "RESELECT_REQUESTED" },
    });
  });
});
