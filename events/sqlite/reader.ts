/**
 * Reader thread: answers one question at a time about a log, on a connection that cannot write. Decoding pages and
 * computing digests here keeps the event loop free, and lets the consumer work on a page while the next is read.
 */
import { parentPort, workerData } from "node:worker_threads";
import type { Head } from "../store.js";
import { toFailure, type Failure } from "./failure.js";
import { PageReader, type Cursor, type Page, type PageRequest } from "./page.js";
import { connectReadOnly, readSegment, type Segment } from "./schema.js";

export interface ReaderData {
  readonly path: string;
}

export type ReaderQuestion =
  | { readonly ask: "segment" }
  | { readonly ask: "head" }
  | { readonly ask: "cursor"; readonly from: number }
  | { readonly ask: "digest"; readonly position: number }
  | { readonly ask: "position"; readonly at: number }
  | ({ readonly ask: "page" } & PageRequest);

/** What each question is answered with. */
export interface ReaderAnswers {
  segment: Segment;
  head: Head;
  cursor: Cursor;
  digest: Uint8Array | undefined;
  position: number;
  page: Page;
}

export type ReaderRequest = { readonly id: number; readonly question: ReaderQuestion } | { readonly kind: "close" };

export type ReaderReply =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly failure: Failure };

if (parentPort === null) throw new Error("events/sqlite/reader.js runs as a worker thread only; use openSqliteStore");
const port = parentPort;
const { path } = workerData as ReaderData;

/** Opened at the first question, so that a failure answers a question instead of ending the thread. */
let opened: { db: ReturnType<typeof connectReadOnly>; segment: Segment; pages: PageReader } | undefined;

function open() {
  if (opened === undefined) {
    const db = connectReadOnly(path);
    try {
      const segment = readSegment(db, path);
      opened = { db, segment, pages: new PageReader(db, path, segment) };
    } catch (error) {
      db.close();
      throw error;
    }
  }
  return opened;
}

function answer(question: ReaderQuestion): ReaderAnswers[keyof ReaderAnswers] {
  const { pages, segment } = open();
  switch (question.ask) {
    case "segment":
      return segment;
    case "head":
      return pages.head();
    case "cursor":
      return pages.cursorAt(question.from);
    case "digest":
      return pages.digestAt(question.position);
    case "position":
      return pages.positionAt(question.at);
    case "page":
      return pages.read(question);
  }
}

function buffersOf(question: ReaderQuestion, given: ReaderAnswers[keyof ReaderAnswers]): ArrayBuffer[] {
  if (question.ask !== "page") return [];
  return [...new Set((given as Page).bodies.map((body) => body.buffer as ArrayBuffer))];
}

port.on("message", (request: ReaderRequest) => {
  if ("kind" in request) {
    opened?.db.close();
    port.close();
    return;
  }
  const { id, question } = request;
  try {
    const given = answer(question);
    const reply: ReaderReply = { id, answer: given };
    port.postMessage(reply, buffersOf(question, given));
  } catch (error) {
    const reply: ReaderReply = { id, failure: toFailure(error, "unavailable", `cannot read the log ${path}`, path) };
    port.postMessage(reply);
  }
});
