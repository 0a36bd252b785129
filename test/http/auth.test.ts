import { describe, expect, test } from "vitest";
import { Authenticator, allowedRoles, roles, tokenDigest } from "#host/auth.js";
import type { Action, Role } from "#host/auth.js";
import { Problem } from "#host/problem.js";

const doorkeeper = new Authenticator(
  roles.map((role) => ({ name: `the-${role}`, roles: [role], digest: tokenDigest(`secret-of-${role}`) })),
);

function verdict(action: Action, authorization: string | undefined, host = "localhost"): string {
  try {
    return doorkeeper.actor(action, authorization, host);
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

describe("with tokens", () => {
  test.each(roles)("a %s may do what the table says and nothing else", (role: Role) => {
    for (const [action, allowed] of Object.entries(allowedRoles)) {
      expect(verdict(action as Action, `Bearer secret-of-${role}`), action).toBe(allowed.includes(role) ? `the-${role}` : "forbidden");
    }
  });

  test.each([undefined, "", "Bearer", "Bearer ", "Basic abc", "Bearer wrong", "Bearer secret-of-operator x", "secret-of-operator"])(
    "%j opens nothing but what is open",
    (authorization) => {
      expect(verdict("read", authorization)).toBe("unauthenticated");
      expect(verdict("configure", authorization)).toBe("unauthenticated");
      expect(verdict("open", authorization)).toBe("anonymous");
    },
  );

  test("the scheme's name may be written in any case, and any Host will do", () => {
    expect(verdict("configure", "bearer secret-of-operator", "holdfast.example")).toBe("the-operator");
  });
});

describe("without tokens", () => {
  const open = new Authenticator([]);

  test("everybody on this machine may do everything", () => {
    for (const host of ["localhost", "localhost:8080", "127.0.0.1:8080", "[::1]:8080", undefined])
      expect(open.actor("configure", undefined, host)).toBe("anonymous");
  });

  test("a page that made its name resolve to this machine may do nothing", () => {
    for (const host of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8080"]) {
      expect(() => open.actor("read", undefined, host)).toThrow(expect.objectContaining({ code: "forbidden" }) as Error);
    }
  });
});
