/** Reads a list page by page until there are enough items or no more pages. */
import type { Answer, Query, ServerClient } from "./server-client.js";

/** Largest page the server gives. */
const pageItemsMax = 1000;

export interface ListBody<T> {
  readonly items: readonly T[];
  readonly next?: string;
  readonly position: number;
}

export interface Listing<T> {
  readonly items: T[];
  /** Where to go on; absent when this is all. */
  readonly next?: string;
  /** Position the first page is true at. */
  readonly position: number;
}

/** Up to `limit` items of `path`, from `cursor` on; `reached` hears how many are here. */
export async function list<T>(
  server: ServerClient,
  path: string,
  query: Query,
  limit: number,
  cursor?: string,
  reached?: (items: number) => void,
): Promise<Listing<T>> {
  const items: T[] = [];
  let next = cursor;
  let position: number | undefined;
  for (;;) {
    // Later pages are read at the position of the first: a list put together from several moments
    // could show one address twice.
    const moment: Query = query["at"] !== undefined || position === undefined ? {} : { at: position };
    const page: Answer<ListBody<T>> = await server.get<ListBody<T>>(path, {
      ...query,
      ...moment,
      limit: Math.min(limit - items.length, pageItemsMax),
      cursor: next,
    });
    items.push(...page.body.items);
    position ??= page.body.position;
    next = page.body.next;
    reached?.(items.length);
    if (next === undefined || items.length >= limit) return { items, position, ...(next === undefined ? {} : { next }) };
  }
}
