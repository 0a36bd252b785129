/** What the contract suite needs to know of a store besides its interface. */
import { expect } from "vitest";
import { StoreError, type EventStore, type StoreErrorCode } from "#events/store.js";

/** One log, opened and closed as often as a test likes. */
export interface LogHarness {
  open(): Promise<EventStore>;
  /** Alters the closed log behind the store's back. */
  damage(how: Damage): Promise<void> | void;
  /** Removes whatever is left. */
  dispose(): Promise<void>;
}

export type Damage =
  /** One bit of the body of the batch that begins at `first`. */
  | { readonly kind: "flip-body"; readonly first: number }
  | { readonly kind: "remove-batch"; readonly first: number }
  /** The digest of the batch, as stored. */
  | { readonly kind: "flip-digest"; readonly first: number }
  /** Other bytes in the body, with every checksum made right that is no digest: what a person would do. */
  | { readonly kind: "forge-body"; readonly first: number; readonly body: Uint8Array }
  /** One bit of the image of the snapshot at `position`. */
  | { readonly kind: "flip-snapshot"; readonly position: number };

export type MakeHarness = () => Promise<LogHarness>;

/** Awaits a refusal with this code and gives the error. */
export async function refused(call: Promise<unknown>, code: StoreErrorCode): Promise<StoreError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreError);
  expect((error as StoreError).code).toBe(code);
  return error as StoreError;
}
