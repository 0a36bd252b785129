/** The shapes of `test/cases/nsm-cases.json` that reach the core, and which of its cases do not, with the reason. */
import { readFileSync } from "node:fs";
import type { IpContext } from "./context.js";

export interface Expectation {
  readonly ok?: boolean;
  readonly error_kind?: string;
  readonly ip_context?: Partial<IpContext>;
  readonly lease_expires_at?: number;
  readonly no_address_in_common_with?: readonly string[];
  readonly leases_granted?: number;
  readonly leases_moved?: number;
  readonly equal?: boolean;
  readonly assignment?: string;
}

export interface Step {
  readonly do: string;
  readonly as?: string;
  readonly connection?: string | { readonly id: string };
  readonly set_ip_context?: Partial<IpContext>;
  readonly next_element_fails?: boolean;
  readonly nse?: string;
  readonly client?: string;
  readonly ip_context?: string;
  readonly state?: string;
  readonly now?: number;
  readonly prefixes?: readonly string[];
  readonly expect?: Expectation;
  readonly desired?: Expectation;
  readonly absent?: readonly string[];
  readonly dst_ip_addrs_index0?: string;
  readonly policy_route_next_hop_must_not_be?: string;
}

export interface Element {
  readonly element: "point2point" | "singlepoint" | "strict" | "group";
  readonly prefixes?: readonly string[];
  readonly groups?: readonly (readonly string[])[];
  readonly inner?: string | null;
}

export interface Case {
  readonly id: string;
  readonly suite: string;
  readonly setup: {
    readonly chain?: readonly Element[];
    readonly nses?: Readonly<Record<string, { readonly prefixes?: readonly string[]; readonly chain?: readonly (readonly string[])[] }>>;
    readonly shared_ipam?: boolean;
    readonly lease_seconds?: number;
    readonly clients?: readonly string[];
    readonly vl3_ipams?: unknown;
    readonly ipam_server?: unknown;
  };
  readonly steps: readonly Step[];
}

/** Suites of the shared cases that ask what the core decides. */
const SUITES = ["point2pointipam", "singlepointipam", "groupipam", "strictipam", "excludedprefixes", "nsmgr", "defect", "seed"];

/** Cases of those suites that ask something else. */
export const NOT_OF_THE_CORE: Readonly<Record<string, string>> = {
  "groupipam/Test_NewServer_ShouldFailIfOptionIsNil": "a missing inner constructor cannot be written here",
  "seed/ipam-unreachable-fallback": "what an endpoint does without its IPAM is its host's decision",
};

/** The cases of those suites about address pairs and single addresses; vl3 and delegated prefixes are other elements. */
export function coreCases(): readonly Case[] {
  const text = readFileSync(new URL("../cases/nsm-cases.json", import.meta.url), "utf8");
  const cases = JSON.parse(text) as readonly Case[];
  return cases.filter(
    ({ id, suite, setup }) => SUITES.includes(suite) && setup.vl3_ipams === undefined && setup.ipam_server === undefined && NOT_OF_THE_CORE[id] === undefined,
  );
}
