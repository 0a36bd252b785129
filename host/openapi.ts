/** The API description, OpenAPI 3.1, put together from the routes that are served. */
import type { OpenAPIHono } from "@hono/zod-openapi";

export interface ApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, unknown>> };
}

export interface ApiOperation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
    readonly required?: boolean;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: unknown }>> };
  readonly responses?: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly headers?: Readonly<Record<string, { readonly description?: string }>>;
        readonly content?: Readonly<Record<string, { readonly schema?: unknown }>>;
      }
    >
  >;
}

/** The document; `version` is the package's. */
export function apiDocument(app: OpenAPIHono, version: string): ApiDocument {
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Holdfast",
      version,
      description:
        "Keeps network addresses where they are. Writes answer with Holdfast-Position once they are durable, and take Idempotency-Key. Errors are problem documents (RFC 9457) with a stable code, the field and the rule.",
      license: { name: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: [
      { name: "pools", description: "Sets of prefixes" },
      { name: "endpoints", description: "NSEs: chains of groups of pools" },
      { name: "leases", description: "Who holds what" },
      { name: "log", description: "What happened" },
      { name: "operation", description: "Probes and metrics" },
    ],
    security: [{ bearer: [] }, {}],
  });
  const components = (document.components ??= {});
  components.securitySchemes = {
    bearer: { type: "http", scheme: "bearer", description: "A configured token; roles reader, operator, agent, auditor" },
  };
  return document as unknown as ApiDocument;
}
