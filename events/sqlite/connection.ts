/**
 * Opens the driver's connections, and keeps what it makes where freeing it would end the process.
 *
 * The accident: from Node 24.19 on, `node::ObjectWrap` asks for the running environment when an object is freed, and
 * there is none while the garbage collector runs between two pieces of JavaScript. better-sqlite3 12, the last that
 * runs on Node 20, hands out such objects: a statement collected at the wrong moment aborts the service
 * (WiseLibs/better-sqlite3, issue 1515). So on these versions nothing it made is ever collected. Connections are opened when a
 * realm is, not per request, and a closed statement is some hundred bytes.
 */
import Database from "better-sqlite3";

export type Connection = Database.Database;

const kept: unknown[] | undefined = Number(process.versions.node.split(".")[0]) >= 24 ? [] : undefined;

/** A connection to the file at `path`. Throws what the driver throws. Iterators of its statements are not to be used: they are not kept. */
export function openConnection(path: string, options: Database.Options): Connection {
  const db = new Database(path, options);
  if (kept === undefined) return db;
  kept.push(db);
  const prepare = db.prepare.bind(db) as (sql: string) => Database.Statement<unknown[]>;
  const keep = (sql: string): Database.Statement<unknown[]> => {
    const statement = prepare(sql);
    kept.push(statement);
    return statement;
  };
  db.prepare = keep as typeof db.prepare;
  // The driver's own makes a statement behind our back.
  db.pragma = (source, asked) => {
    const statement = keep(`PRAGMA ${source}`);
    if (!statement.reader) return statement.run();
    return asked?.simple === true ? statement.pluck().get() : statement.all();
  };
  return db;
}
