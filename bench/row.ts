import type { KubeClient } from '@trimtab/kube/client.ts';

/** One line of the report. `ours` and `peer` are measured in the same run and on the same cluster. */
export interface Figure {
  what: string;
  unit: string;
  ours: number;
  peer?: number;
  /** The limit that the figure must keep, in the unit of the figure; undefined when there is none. */
  budget?: string;
}

export interface Measurement {
  /** The headings of the two columns. */
  ours: string;
  peer: string;
  /** How the figures were measured, in enough detail to judge them. */
  how: string;
  figures: Figure[];
}

export interface BenchContext {
  client: KubeClient;
  /** Path of bed.json, for child processes. */
  bed: string;
  /** A new namespace for this row, deleted afterwards with its contents. */
  namespace: string;
  /** Number of objects or writes; undefined for the default of the row. */
  count: number | undefined;
  signal: AbortSignal;
  say(progress: string): void;
}

export interface Row {
  name: string;
  what: string;
  run(context: BenchContext): Promise<Measurement>;
}
