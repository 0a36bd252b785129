/** What `PUT /v1/endpoints/{endpoint}` takes: groups in order, in a group pools in order of preference. */
import { z } from "@hono/zod-openapi";
import type { DefineEndpoint } from "../events/command.js";
import { readName } from "./names.js";
import { invalid, tooLarge } from "./problem.js";

export const groupsMax = 16;
export const groupPoolsMax = 16;

export const endpointBodySchema = z
  .strictObject({
    chain: z
      .array(z.array(z.string()).min(1))
      .min(1)
      .openapi({
        example: [["pool-a", "pool-b"], ["pool-v6"]],
        description: `1 to ${groupsMax} groups of 1 to ${groupPoolsMax} pools; each group gives a client one lease`,
      }),
    contextPolicy: z
      .enum(["replace", "append"])
      .default("replace")
      .openapi({ description: "replace: the answer holds only live leases; append: what the client brought stays, as in NSM" }),
  })
  .openapi("EndpointSettings");

export type EndpointBody = z.output<typeof endpointBodySchema>;

/** The settings of a define-endpoint command. Refuses `invalid` and `too-large`. */
export function readEndpointBody(body: EndpointBody): Pick<DefineEndpoint, "chain" | "contextPolicy"> {
  if (body.chain.length > groupsMax)
    throw tooLarge("chain", "groups-count", groupsMax, `chain has ${body.chain.length} groups; at most ${groupsMax} are taken.`);
  const seen = new Map<string, string>();
  body.chain.forEach((group, groupIndex) => {
    if (group.length > groupPoolsMax)
      throw tooLarge(
        `chain[${groupIndex}]`,
        "group-pools-count",
        groupPoolsMax,
        `chain[${groupIndex}] has ${group.length} pools; at most ${groupPoolsMax} are taken.`,
      );
    group.forEach((pool, poolIndex) => {
      const field = `chain[${groupIndex}][${poolIndex}]`;
      readName("pool", pool, field);
      const before = seen.get(pool);
      // Two leases of one pool for one client could not be told apart at a heal.
      if (before !== undefined)
        throw invalid(field, "duplicate", `Pool ${JSON.stringify(pool)} already stands at ${before}; a pool appears once in a chain.`);
      seen.set(pool, field);
    });
  });
  return { chain: body.chain, contextPolicy: body.contextPolicy };
}
