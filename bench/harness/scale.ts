/** How much is measured. Every loop of the benchmarks is bounded by one of these numbers. */

export type ScaleName = "full" | "quick" | "tiny";

export interface Scale {
  readonly name: ScaleName;
  readonly repetitions: number;
  /** Live leases in the core when a grant is timed. */
  readonly liveLeases: readonly number[];
  readonly exclusions: readonly number[];
  /** Live pairs in the fragmented pools of the Go program, see `sizes` there. */
  readonly peerFragments: readonly number[];
  /** Grants timed in one repetition. */
  readonly grants: number;
  readonly healClients: readonly number[];
  readonly replayEvents: number;
  /** Leases of a realm that is opened again. */
  readonly openLeases: readonly number[];
  /** Commands waiting at once. */
  readonly waiting: readonly number[];
  readonly durableGrants: number;
  readonly httpConnections: number;
  readonly httpRequests: number;
  readonly httpBatches: number;
  /** Events of the log whose past is visited. */
  readonly pastEvents: number;
  readonly memoryLeases: number;
  readonly expiring: number;
}

export const scales: Record<ScaleName, Scale> = {
  full: {
    name: "full",
    repetitions: 7,
    liveLeases: [1_000, 10_000, 100_000, 1_000_000],
    exclusions: [0, 100, 1_000],
    peerFragments: [1_000, 10_000, 30_000],
    grants: 4_096,
    healClients: [1_000, 10_000, 30_000],
    replayEvents: 2_000_000,
    openLeases: [10_000, 100_000, 1_000_000],
    waiting: [1, 16, 256, 4_096],
    durableGrants: 200_000,
    httpConnections: 64,
    httpRequests: 60_000,
    httpBatches: 3_000,
    pastEvents: 10_000_000,
    memoryLeases: 500_000,
    expiring: 100_000,
  },
  quick: {
    name: "quick",
    repetitions: 3,
    liveLeases: [1_000, 100_000],
    exclusions: [0, 100, 1_000],
    peerFragments: [1_000, 10_000],
    grants: 1_024,
    healClients: [1_000, 10_000, 30_000],
    replayEvents: 400_000,
    openLeases: [10_000, 100_000],
    waiting: [1, 256],
    durableGrants: 50_000,
    httpConnections: 64,
    httpRequests: 15_000,
    httpBatches: 500,
    pastEvents: 1_000_000,
    memoryLeases: 100_000,
    expiring: 20_000,
  },
  tiny: {
    name: "tiny",
    repetitions: 2,
    liveLeases: [20],
    exclusions: [0, 10],
    peerFragments: [20],
    grants: 16,
    healClients: [20],
    replayEvents: 200,
    openLeases: [50],
    waiting: [1, 4],
    durableGrants: 40,
    httpConnections: 4,
    httpRequests: 40,
    httpBatches: 4,
    pastEvents: 200,
    memoryLeases: 100,
    expiring: 20,
  },
};
