/**
 * What pools and endpoints have in common over HTTP: a list by name, one by name, a name from the path, a revision
 * that a change may be tied to.
 */
import type { z } from "@hono/zod-openapi";
import type { RealmReader } from "../../events/realm-api.js";
import { answers, atParameter, inPath, pageOf, pageParameters, refuses } from "../describe.js";
import type { MomentReads } from "../moment.js";
import { readName } from "../names.js";
import { etag, expectedRevision } from "../precondition.js";
import { Problem } from "../problem.js";
import { limitOf, readQuery } from "../query.js";
import { json } from "../reply.js";
import type { Call, Routes } from "../route.js";

/** A kind of thing that is found by its name and carries the position of its last change. */
export interface Named {
  /** As in messages and as the path's parameter: `pool`. */
  readonly noun: "pool" | "endpoint";
  /** As the path's segment and the tag in the description: `pools`. */
  readonly plural: string;
  /** What a page of the list is called in the description: `PoolPage`. */
  readonly pageName: string;
  /** With its article, as a sentence starts: `A pool`. */
  readonly one: string;
  readonly schema: z.ZodType;
  list(reader: RealmReader, after: string | undefined, limit: number): object;
  find(reader: RealmReader, name: string): { readonly revision: number } | undefined;
}

/** Adds the two reads, both of any moment (`?at=`). */
export function addNamedReads(routes: Routes, moments: MomentReads, named: Named): void {
  const { noun, plural, one, schema } = named;
  routes.add({
    method: "get",
    path: `/v1/${plural}`,
    action: "read",
    describe: {
      tags: [plural],
      summary: `List ${plural} by name`,
      parameters: [...pageParameters, atParameter],
      responses: { ...answers(200, `A page of ${plural}`, pageOf(named.pageName, schema)), ...refuses() },
    },
    handle: (call) => {
      const query = readQuery(call.context, ["limit", "cursor", "at"]);
      const limit = limitOf(query);
      return moments.read(call.realm, query["at"], call.now, (reader) =>
        json({ ...named.list(reader, query["cursor"], limit), position: reader.position }, { "Holdfast-Position": String(reader.position) }),
      );
    },
  });
  routes.add({
    method: "get",
    path: `/v1/${plural}/{${noun}}`,
    action: "read",
    describe: {
      tags: [plural],
      summary: one,
      parameters: [nameParameter(named), atParameter],
      responses: { ...answers(200, `The ${noun}`, schema, etagHeader(named)), ...refuses("not-found") },
    },
    handle: (call) => {
      const name = nameOf(named, call);
      const query = readQuery(call.context, ["at"]);
      return moments.read(call.realm, query["at"], call.now, (reader) => {
        const found = named.find(reader, name);
        if (found === undefined) throw unknown(named, name, query["at"]);
        return json(found, { ETag: etag(found.revision), "Holdfast-Position": String(reader.position) });
      });
    },
  });
}

/** The path's parameter, for descriptions. */
export function nameParameter({ noun }: Pick<Named, "noun">): ReturnType<typeof inPath> {
  return inPath(noun, `Name of the ${noun}`);
}

/** The header that carries the revision, for descriptions. */
export function etagHeader({ noun }: Pick<Named, "noun">): { ETag: { description: string; schema: { type: "string" } } } {
  return { ETag: { description: `Revision of the ${noun}`, schema: { type: "string" } } };
}

/** The name in the path; refuses one that no such thing can have. */
export function nameOf({ noun }: Pick<Named, "noun">, call: Call): string {
  return readName(noun, call.context.req.param(noun) ?? "", noun);
}

/** What `If-Match` and `If-None-Match` demand of the present revision, as a command carries it; refuses what cannot hold. */
export async function revisionOf(named: Named, call: Call, name: string): Promise<{ ifRevision?: number }> {
  const revision = await expectedRevision(call.context, name, () => call.realm.read((reader) => named.find(reader, name)?.revision));
  return revision === undefined ? {} : { ifRevision: revision };
}

function unknown({ noun, plural }: Named, name: string, at: string | undefined): Problem {
  return new Problem(
    "not-found",
    at === undefined
      ? `There is no ${noun} ${JSON.stringify(name)}; GET /v1/${plural} lists them.`
      : `There was no ${noun} ${JSON.stringify(name)} at ${at}.`,
    { subject: name, rule: noun },
  );
}
