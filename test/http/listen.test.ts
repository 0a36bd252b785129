import { describe, expect, test } from "vitest";
import { isLoopback, listenRefusal, parseListen } from "#host/listen.js";

describe("where to listen", () => {
  test.each([
    ["127.0.0.1:8080", { host: "127.0.0.1", port: 8080 }],
    ["[::1]:0", { host: "::1", port: 0 }],
    ["localhost:80", { host: "localhost", port: 80 }],
    [":8080", { host: "::", port: 8080 }],
    ["0.0.0.0:65535", { host: "0.0.0.0", port: 65_535 }],
  ])("%s is an address", (text, address) => {
    expect(parseListen(text)).toEqual(address);
  });

  test.each(["", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:80", "[::g]:1", "a b:1", "http://x:1"])(
    "%j is none",
    (text) => {
      expect(parseListen(text)).toBeUndefined();
    },
  );

  test.each(["127.0.0.1", "127.8.9.10", "::1", "0:0:0:0:0:0:0:1", "localhost"])("%s is reached from this machine only", (host) => {
    expect(isLoopback(host)).toBe(true);
    expect(listenRefusal({ host, port: 1 }, 0)).toBeUndefined();
  });

  test.each(["0.0.0.0", "::", "10.0.0.1", "fd00::1", "holdfast.example", "::ffff:10.0.0.1"])(
    "%s is refused without tokens and taken with one",
    (host) => {
      expect(listenRefusal({ host, port: 1 }, 0)).toContain("no tokens are configured");
      expect(listenRefusal({ host, port: 1 }, 1)).toBeUndefined();
    },
  );
});
