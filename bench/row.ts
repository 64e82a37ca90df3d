import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Budget } from './budget.ts';

/** One line of the report. All columns are measured in the same repetition and on the same cluster. */
export interface Figure {
  /** Identifies the figure within its row, in all repetitions and all runs. */
  what: string;
  unit: string;
  ours: number;
  peer?: number;
  reloader?: number;
  budget?: Budget;
}

/** The figures of one repetition. */
export interface Measurement {
  /** The headings of the columns `ours` and `peer`. */
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
  /** A new namespace for this repetition, deleted afterwards with its contents. */
  namespace: string;
  /** Number of objects or writes; undefined for the default of the row. */
  count: number | undefined;
  /** Path of the binary of Reloader; undefined when Reloader is not measured. */
  reloader: string | undefined;
  signal: AbortSignal;
  say(progress: string): void;
}

export interface Row {
  name: string;
  what: string;
  /** Creates what takes long to create. All repetitions then use the same namespace. */
  prepare?(context: BenchContext): Promise<void>;
  /** Runs one repetition. */
  run(context: BenchContext): Promise<Measurement>;
}
