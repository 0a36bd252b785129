import { describe, expect, test } from "vitest";
import { IdempotencyMemory, fingerprint, idempotencyKey } from "#host/idempotency.js";
import { Problem } from "#host/problem.js";
import type { Reply } from "#host/reply.js";

const reply = (body: string, more: Partial<Reply> = {}): Reply => ({ status: 200, headers: {}, body, ...more });

/** A memory, its clock, and work that counts how often it was done. */
function memory(limits = { keys: 3, bytes: 1_000_000, seconds: 60 }) {
  const clock = { now: 1_000_000 };
  const answers = new IdempotencyMemory(() => clock.now, limits);
  let done = 0;
  const work = (): Promise<Reply> => Promise.resolve(reply(`answer ${++done}`));
  return { answers, clock, work, done: () => done };
}

describe("an idempotency key", () => {
  test("gives the same answer to the same request without doing it again", async () => {
    const { answers, work, done } = memory();
    const first = await answers.run("a", "k", "f", work);
    const again = await answers.run("a", "k", "f", work);
    expect(first.headers["Idempotency-Replayed"]).toBeUndefined();
    expect(again).toEqual({ ...first, headers: { "Idempotency-Replayed": "true" } });
    expect(done()).toBe(1);
  });

  test("is refused for another request", async () => {
    const { answers, work } = memory();
    await answers.run("a", "k", "f", work);
    await expect(answers.run("a", "k", "g", work)).rejects.toMatchObject({
      code: "idempotency-mismatch",
      facts: { field: "Idempotency-Key" },
    });
  });

  test("of one caller says nothing about another's", async () => {
    const { answers, work, done } = memory();
    await answers.run("a", "k", "f", work);
    await answers.run("b", "k", "g", work);
    expect(done()).toBe(2);
  });

  test("lets duplicates wait for the first, also when they come before it is done", async () => {
    const { answers } = memory();
    let finish: (value: Reply) => void = () => undefined;
    let started = 0;
    const slow = (): Promise<Reply> => {
      started++;
      return new Promise((resolve) => (finish = resolve));
    };
    const all = [1, 2, 3].map(() => answers.run("a", "k", "f", slow));
    await expect(answers.run("a", "k", "other", slow)).rejects.toBeInstanceOf(Problem);
    finish(reply("once"));
    const bodies = (await Promise.all(all)).map(({ body }) => body);
    expect(bodies).toEqual(["once", "once", "once"]);
    expect(started).toBe(1);
  });

  test("forgets what was not decided, so that asking again is right", async () => {
    const { answers, work, done } = memory();
    await answers.run("a", "k", "f", () => Promise.resolve(reply("later", { status: 503, undecided: true })));
    await expect(answers.run("a", "k", "f", () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    await answers.run("a", "k", "f", work);
    expect(done()).toBe(1);
    expect(answers.size).toBe(1);
  });

  test("is kept for its time and not longer", async () => {
    const { answers, clock, work, done } = memory();
    await answers.run("a", "k", "f", work);
    clock.now += 59_999;
    await answers.run("a", "k", "f", work);
    expect(done()).toBe(1);
    clock.now += 1;
    await answers.run("a", "k", "f", work);
    expect(done()).toBe(2);
  });

  test("is pushed out by newer keys beyond the limit, oldest first", async () => {
    const { answers, work, done } = memory();
    for (const key of ["1", "2", "3", "4"]) await answers.run("a", key, "f", work);
    expect(answers.size).toBe(3);
    await answers.run("a", "2", "f", work);
    expect(done()).toBe(4);
    await answers.run("a", "1", "f", work);
    expect(done()).toBe(5);
  });

  test("is pushed out by bytes, and one answer larger than all the room is not kept", async () => {
    const { answers } = memory({ keys: 100, bytes: 3000, seconds: 60 });
    await answers.run("a", "small", "f", () => Promise.resolve(reply("x")));
    await answers.run("a", "large", "f", () => Promise.resolve(reply("x".repeat(2000))));
    expect(answers.size).toBe(0);
  });

  test.each([
    ["", "empty"],
    ["a b", "a space"],
    ["\u00e4", "not ASCII"],
    ["k".repeat(256), "256 characters"],
  ])("%j is no key: %s", (key) => {
    expect(() => idempotencyKey(key)).toThrow(
      expect.objectContaining({
        code: "invalid",
        facts: expect.objectContaining({ field: "Idempotency-Key", rule: "key-form" }) as object,
      }) as Error,
    );
  });

  test("of 255 characters is taken", () => {
    expect(idempotencyKey("k".repeat(255))).toHaveLength(255);
  });
});

test("a fingerprint tells apart what only joins to the same text", () => {
  expect(fingerprint(["ab", "c"])).not.toBe(fingerprint(["a", "bc"]));
  expect(fingerprint(["ab", "c"])).toBe(fingerprint(["ab", "c"]));
});
