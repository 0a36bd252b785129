/** What a browser sees at `/`. */
import { escaped, page } from "./page.js";

const links: readonly (readonly [string, string])[] = [
  ["/docs", "the HTTP API, route by route"],
  ["/openapi.json", "the same for programs (OpenAPI 3.1)"],
  ["/v1/pools", "pools and their usage"],
  ["/v1/endpoints", "endpoints"],
  ["/v1/leases", "leases"],
  ["/v1/log", "head of the log, snapshots"],
  ["/v1/events", "events"],
  ["/readyz", "whether it answers"],
  ["/metrics", "metrics for Prometheus"],
];

export function landingPage(realm: string, version: string): string {
  const list = links.map(([path, what]) => `<li><a href="${path}">${path}</a> - ${escaped(what)}</li>`).join("\n");
  return page(
    "Holdfast",
    `<h1>Holdfast</h1>\n<p>Keeps network addresses where they are. Realm <b>${escaped(realm)}</b>, version ${escaped(version)}.</p>\n<ul>\n${list}\n</ul>`,
  );
}
