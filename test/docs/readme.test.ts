import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { kill, serve } from "../cli/process.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const readme = readFileSync(`${root}/README.md`, "utf8");
const blocks = (language: string): string[] => [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map(([, body]) => body!);

/** A shell that stays, as the reader's terminal does: functions and variables live from block to block. */
function terminal(): { run(block: string): Promise<string>; end(): void } {
  const shell = spawn("bash", [], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
  const mark = "-- done, status";
  return {
    async run(block) {
      shell.stdin.write(`${block}\necho; echo "${mark} $?"\n`);
      let out = "";
      for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
        if (next.value.startsWith(mark)) {
          expect(next.value, out).toBe(`${mark} 0`);
          return out;
        }
        out += `${next.value}\n`;
      }
      throw new Error(`the shell ended in this block:\n${block}\n${out}`);
    },
    end: () => shell.kill(),
  };
}

describe("the README", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "holdfast-readme-"));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it("starts with the two commands that a fresh clone needs", () => {
    const scripts = (JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as { scripts: Record<string, string> }).scripts;
    expect(blocks("sh")[0]).toMatch(/^npm ci && npm start +#.*\nnpm ci && npm test +#/);
    expect(scripts["start"]).toMatch(/main\.js serve$/);
    expect(scripts["test"]).toBeDefined();
  });

  it("leads to the first heal in the words that stand there", async () => {
    const [, grants, death, heals, ...more] = blocks("sh");
    expect(more).toEqual([]);
    const place = "http://127.0.0.1:8080/v1";
    const victim = "12345";
    expect([grants, death].map((block, i) => block!.includes([place, victim][i]!))).toEqual([true, true]);
    const shell = terminal();
    let server = await serve(dataDir);
    try {
      const granted = await shell.run(grants!.replace(place, `${server.url}/v1`));
      expect(granted.match(/Holdfast-Outcome: \w+/gi)).toEqual(["Holdfast-Outcome: granted", "Holdfast-Outcome: granted"]);
      for (const address of ["172.16.1.0/32", "172.16.1.1/32", "172.16.1.3/32"]) expect(granted).toContain(`"${address}"`);

      await shell.run(death!.replace(victim, String(server.pid)));
      await server.child.ended;
      server = await serve(dataDir, "--listen", new URL(server.url).host);

      const healed = await shell.run(heals!);
      expect(healed.match(/Outcome: \w+|"srcIpAddrs":\["[^"]*"/gi)).toEqual([
        "Outcome: granted", '"srcIpAddrs":["172.16.1.5/32"',
        "Outcome: restored", '"srcIpAddrs":["172.16.1.3/32"',
        "Outcome: restored", '"srcIpAddrs":["172.16.1.1/32"',
      ]);
      expect(healed.split("\n").filter((line) => line.includes('"src":"')).map((line) => line.split(/\s+/))).toEqual([
        ['"name":"nsc-1"', '"src":"172.16.1.1"'],
        ['"name":"nsc-2"', '"src":"172.16.1.3"'],
        [">", '"name":"nsc-3"', '"src":"172.16.1.5"'],
      ]);
    } finally {
      shell.end();
      await kill(server.child);
    }
  });

  it("shows a program that runs", () => {
    const [program, ...more] = blocks("js");
    expect(more).toEqual([]);
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module"], { cwd: root, input: program, encoding: "utf8" });
    expect(stderr).toBe("");
    expect(stdout).toBe(`${/console\.log\(.*\); \/\/ (.*)/.exec(program!)![1]}\n`);
  });
});

describe("the pages", () => {
  const pages = ["README.md", "CONTRIBUTING.md", "RATIONALE.md", "CHANGELOG.md", "SECURITY.md", ...readdirSync(`${root}/docs`).map((name) => `docs/${name}`)];

  it.each(pages)("%s links and names only files that are there", (page) => {
    const text = readFileSync(`${root}/${page}`, "utf8");
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target]) => join(dirname(page), target!));
    const named = [...text.matchAll(/`((?:assembly|events|host|test|bench|docs|\.ci)\/[\w./-]+)`/g)].map(([, path]) => path!);
    expect([...links, ...named].filter((path) => !existsSync(`${root}/${path}`)), "mend the link").toEqual([]);
  });
});
