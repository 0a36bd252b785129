/** Endpoints: named chains of groups of pools. */
import type { AnswerOf, DefineEndpoint, RetireEndpoint } from "#events/command.js";
import type { Decision } from "./decision.js";
import { checkCount, checkName, checkRevision, refuse } from "./refusal.js";
import type { Endpoint, Pool, State } from "./state.js";
import { poolNamed } from "./state.js";

const ENDPOINTS_MAX = 65_535;

/** Every pool exists and is named once: a client has one lease in a pool. The first fault in reading order counts. */
function checkChain(state: State, chain: DefineEndpoint["chain"]): void {
  const named = new Set<string>();
  for (const group of chain) {
    checkCount(group.length, 1, 16);
    for (const pool of group) {
      if (!state.pools.has(pool)) refuse("not-found", { subject: pool });
      if (named.has(pool)) refuse("invalid", { subject: pool });
      named.add(pool);
    }
  }
}

export function defineEndpoint(decision: Decision, command: DefineEndpoint): AnswerOf["define-endpoint"] {
  const { state } = decision;
  const { endpoint, chain, contextPolicy } = command;
  checkName(endpoint);
  checkCount(chain.length, 1, 16);
  checkChain(state, chain);
  const old = state.endpoints.get(endpoint);
  checkRevision(command.ifRevision, old?.revision ?? 0, endpoint);
  const after = { chain, contextPolicy };
  if (old === undefined) {
    if (state.endpoints.size >= ENDPOINTS_MAX) refuse("too-large");
    decision.emit("endpoint-defined", { endpoint, ...after });
    return { created: true, changed: true, revision: state.position };
  }
  const before = { chain: old.chain, contextPolicy: old.contextPolicy };
  if (JSON.stringify(before) === JSON.stringify(after)) return { created: false, changed: false, revision: old.revision };
  decision.emit("endpoint-changed", { endpoint, before, after });
  return { created: false, changed: true, revision: state.position };
}

export function retireEndpoint(decision: Decision, command: RetireEndpoint): AnswerOf["retire-endpoint"] {
  const old = endpointNamed(decision.state, command.endpoint);
  checkRevision(command.ifRevision, old.revision, old.name);
  decision.emit("endpoint-retired", { endpoint: old.name });
  return { revision: decision.state.position };
}

/** Refuses with `not-found` what is not defined. */
export function endpointNamed(state: State, name: string): Endpoint {
  return state.endpoints.get(name) ?? refuse("not-found", { subject: name });
}

/** The endpoint's pools, group by group. */
export function groupsOf(state: State, endpoint: Endpoint): readonly (readonly Pool[])[] {
  return endpoint.chain.map((group) => group.map((pool) => poolNamed(state, pool)));
}
