/** `/`, `/docs` and `/openapi.json`: what the service says about itself. Made when first asked for. */
import { z } from "@hono/zod-openapi";
import { docsPage } from "../docs-page.js";
import { landingPage } from "../landing-page.js";
import { apiDocument } from "../openapi.js";
import type { ApiDocument } from "../openapi.js";
import { html } from "../reply.js";
import type { Routes } from "../route.js";

const tags = ["operation"];
const htmlAnswer = { 200: { description: "A page", content: { "text/html": { schema: z.string() } } } };

export function addPageRoutes(routes: Routes, realmName: string, version: string): void {
  let document: ApiDocument | undefined;
  const made = (): ApiDocument => (document ??= apiDocument(routes.parts.app, version));
  let text: string | undefined;
  let docs: string | undefined;

  routes.add({
    method: "get",
    path: "/",
    action: "open",
    always: true,
    describe: { tags, summary: "Links to all this", responses: htmlAnswer },
    handle: () => html(landingPage(realmName, version)),
  });

  routes.add({
    method: "get",
    path: "/docs",
    action: "open",
    always: true,
    describe: { tags, summary: "This description as a page", responses: htmlAnswer },
    handle: () => html((docs ??= docsPage(made()))),
  });

  routes.add({
    method: "get",
    path: "/openapi.json",
    action: "open",
    always: true,
    describe: {
      tags,
      summary: "This description, OpenAPI 3.1",
      responses: { 200: { description: "The document", content: { "application/json": { schema: z.looseObject({}) } } } },
    },
    handle: () => ({ status: 200, headers: { "content-type": "application/json" }, body: (text ??= JSON.stringify(made())) }),
  });
}
