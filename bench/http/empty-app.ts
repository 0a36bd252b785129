/** The yardstick: the same framework on the same server, parsing and answering the same JSON and nothing else. */
import { Hono } from "hono";
import { fixedAnswer, type RequestBody } from "./messages.js";

export function emptyApp(): Hono {
  const app = new Hono();
  app.post("/request", async (context) => context.json(fixedAnswer(await context.req.json<RequestBody>())));
  app.post("/requests", async (context) => {
    const bodies = await context.req.json<RequestBody[]>();
    return context.json(bodies.map((body) => ({ connection: fixedAnswer(body) })));
  });
  return app;
}
