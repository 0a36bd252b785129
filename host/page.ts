/** The frame of the few pages served to people: one look, no script, nothing from elsewhere. */

const style = `
:root{color-scheme:light dark;--line:#8884;--soft:#8881}
body{font:15px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem}
code,pre{font:13px/1.45 ui-monospace,monospace}pre{background:var(--soft);padding:.6rem;overflow:auto;border-radius:4px}
h2{margin-top:2rem;border-bottom:1px solid var(--line)}details{border:1px solid var(--line);border-radius:4px;margin:.4rem 0;padding:.3rem .6rem}
summary{cursor:pointer}summary b{display:inline-block;width:4.5rem}table{border-collapse:collapse;width:100%}
td,th{text-align:left;vertical-align:top;padding:.2rem .6rem .2rem 0;border-bottom:1px solid var(--line)}small{opacity:.75}
`;

/** Text as it may stand in HTML. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** A whole page; `body` is HTML. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${style}</style></head>
<body>
${body}
</body></html>
`;
}
