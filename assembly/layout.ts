// Where things are. The only place that knows the fixed addresses of linear memory.
//
// Static data of the compiler starts at 1024; ours starts at 8192, and a test checks that they never
// meet: a header placed inside the compiler's data once collided silently.

/** Facts of the realm as a whole. Part of the state. */
export const REALM: usize = 8192;
export const POSITION: usize = REALM;
export const LAST_TIME: usize = REALM + 8;
export const OPENED_POSITION: usize = REALM + 16;
export const GRACE_FROM: usize = REALM + 24;
export const GRACE_UNTIL: usize = REALM + 32;
/** How often the realm was opened: tells a heal after a restart from a refresh. */
export const OPEN_COUNT: usize = REALM + 40;
export const POOL_HEAD: usize = REALM + 44;
export const ENDPOINT_HEAD: usize = REALM + 48;
/** Roots of the realm's present prefixes, by family (disjoint, ordered by first address). */
export const PREFIX_ROOT_4: usize = REALM + 52;
export const PREFIX_ROOT_6: usize = REALM + 56;
/** Ended leases, the one that ended first at the head. */
export const ENDED_HEAD: usize = REALM + 68;
export const ENDED_TAIL: usize = REALM + 72;
export const ENDED_COUNT: usize = REALM + 76;
export const POOL_COUNT: usize = REALM + 80;
/** Names ever used: a retired endpoint keeps its record because leases still name it. */
export const ENDPOINT_COUNT: usize = REALM + 84;
export const LIVE_COUNT: usize = REALM + 88;
export const COOLING_COUNT: usize = REALM + 92;
/** Counter behind the balance of the ordered trees; no meaning beyond that. */
export const BALANCE: usize = REALM + 96;

/** Hash tables, 32 bytes each. */
export const CLIENTS: usize = REALM + 128;
export const ADDRESSES: usize = REALM + 160;
export const LEASES: usize = REALM + 192;
export const POOLS: usize = REALM + 224;
export const ENDPOINTS: usize = REALM + 256;
export const BLOCKS: usize = REALM + 288;

/** Memory management; not part of the state. */
export const ARENA_TOP: usize = REALM + 1024;
export const FREE_LISTS: usize = REALM + 1032;
/** Why the core stopped, readable after a trap. */
export const FAULT: usize = REALM + 2048;
/** Position of the event being applied: the one at fault after a trap. */
export const APPLYING: usize = REALM + 2056;
/** What the last call left for the host, see index.ts. */
export const RESULT: usize = REALM + 2064;

/** Where walks through tables stand, and a line of a table that is always empty (see table.ts). */
export const WALKS: usize = REALM + 2176;

/** The first byte the arena gives out. */
export const ARENA_START: usize = 65536;
