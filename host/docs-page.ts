/**
 * The API description as a page: made from the OpenAPI document on the server, so that it works in a rack
 * without internet and without a script.
 */
import type { ApiDocument, ApiOperation } from "./openapi.js";
import { escaped, page } from "./page.js";

export function docsPage(document: ApiDocument): string {
  const byTag = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const tag = operation.tags?.[0] ?? "other";
      byTag.set(tag, [...(byTag.get(tag) ?? []), operationSection(method, path, operation)]);
    }
  }
  const sections = [...byTag].map(([tag, operations]) => `<h2>${escaped(tag)}</h2>\n${operations.join("\n")}`);
  const schemas = Object.entries(document.components?.schemas ?? {}).map(
    ([name, schema]) => `<details id="schema-${escaped(name)}"><summary>${escaped(name)}</summary>${code(schema)}</details>`,
  );
  return page(
    `${document.info.title} API`,
    `<h1>${escaped(document.info.title)} API</h1>\n<p>${escaped(document.info.description ?? "")} Version ${escaped(document.info.version)}; <a href="/openapi.json">openapi.json</a>.</p>\n${sections.join("\n")}\n<h2>schemas</h2>\n${schemas.join("\n")}`,
  );
}

function operationSection(method: string, path: string, operation: ApiOperation): string {
  const parameters = (operation.parameters ?? []).map(
    (parameter) =>
      `<tr><td><code>${escaped(parameter.name)}</code></td><td><small>${escaped(parameter.in)}</small></td><td>${escaped(parameter.description ?? "")}</td></tr>`,
  );
  const responses = Object.entries(operation.responses ?? {}).map(([status, response]) => {
    const headers = Object.keys(response.headers ?? {}).map((name) => `<code>${escaped(name)}</code>`);
    const schemas = Object.values(response.content ?? {}).map(({ schema }) => schemaLink(schema));
    return `<tr><td>${escaped(status)}</td><td>${escaped(response.description)}${headers.length === 0 ? "" : `<br><small>${headers.join(" ")}</small>`}</td><td>${schemas.join(" ")}</td></tr>`;
  });
  const body = Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => `<p>Body: ${schemaLink(schema)}</p>`);
  return `<details><summary><b>${escaped(method.toUpperCase())}</b><code>${escaped(path)}</code> ${escaped(operation.summary ?? "")}</summary>
${operation.description === undefined ? "" : `<p>${escaped(operation.description)}</p>`}
${parameters.length === 0 ? "" : `<table>${parameters.join("")}</table>`}
${body.join("")}
<table>${responses.join("")}</table></details>`;
}

function schemaLink(schema: unknown): string {
  const reference = typeof schema === "object" && schema !== null && "$ref" in schema ? schema.$ref : undefined;
  if (typeof reference !== "string") return code(schema);
  const name = reference.slice(reference.lastIndexOf("/") + 1);
  return `<a href="#schema-${escaped(name)}">${escaped(name)}</a>`;
}

function code(schema: unknown): string {
  return `<pre>${escaped(JSON.stringify(schema, undefined, 1) ?? "")}</pre>`;
}
