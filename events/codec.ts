/** Both spellings of an event, and the bytes at the core's door. */
export { decodeEvents, encodeEvents, eventTypes, readEvent, writeEvent } from "./codec/event.js";
export { RecordReader } from "./codec/reader.js";
export { RecordWriter } from "./codec/writer.js";
export { writeCommand } from "./codec/command.js";
export { readAnswer } from "./codec/answer.js";
