import type { KubeClient } from '@trimtab/kube/client.ts';

/** One line of the report. `ours` and `peer` were measured in the same run, on the same cluster. */
export interface Figure {
  what: string;
  unit: string;
  ours: number;
  peer?: number;
  /** What DESIGN §9 allows, where it says something. */
  budget?: string;
}

export interface Measurement {
  /** What stands in the two columns. */
  ours: string;
  peer: string;
  /** How it was measured: what a reader needs to know to believe the figures. */
  how: string;
  figures: Figure[];
}

export interface BenchContext {
  client: KubeClient;
  /** The path of the bed.json, for child processes. */
  bed: string;
  /** Empty, and removed afterwards with all that is in it. */
  namespace: string;
  /** Of how many objects or writes a row is made; the row's own number when left out. */
  count: number | undefined;
  signal: AbortSignal;
  say(progress: string): void;
}

export interface Row {
  name: string;
  what: string;
  run(context: BenchContext): Promise<Measurement>;
}
