import { type Budget, missesBudget } from './budget.ts';
import type { Figure, Measurement } from './row.ts';
import { isSteady, type Sample, sampleOf } from './sample.ts';

export interface FigureResult {
  what: string;
  unit: string;
  ours: Sample;
  peer?: Sample;
  reloader?: Sample;
  /** `ours` divided by `peer` in the same repetition, so that load on the machine affects both. */
  ratio?: Sample;
  budget?: Budget;
  missed: boolean;
}

/** All repetitions of a row in one. */
export interface RowResult {
  row: string;
  ours: string;
  peer: string;
  how: string;
  repetitions: number;
  seconds: number;
  /** The load average of the last minute at the start and at the end of the row. */
  load: { start: number; end: number };
  figures: FigureResult[];
}

/** Combines the figures of the same name. A figure must be part of every repetition. */
export function combine(repetitions: readonly Measurement[]): FigureResult[] {
  const figures = repetitions[0]?.figures ?? [];
  return figures.map(({ what, unit, budget }) => {
    const all = repetitions.map((repetition) => figureOf(repetition, what));
    const column = (of: (figure: Figure) => number | undefined) => {
      const values = all.map(of).filter((value) => value !== undefined);
      return values.length === all.length ? sampleOf(values) : undefined;
    };
    const ours = sampleOf(all.map((figure) => figure.ours));
    const ratio = column((figure) => (figure.peer ? figure.ours / figure.peer : undefined));
    const peer = column((figure) => figure.peer);
    const reloader = column((figure) => figure.reloader);
    return {
      what,
      unit,
      ours,
      ...(peer && { peer }),
      ...(reloader && { reloader }),
      ...(ratio && { ratio }),
      ...(budget && { budget }),
      missed: budget !== undefined && missesBudget(budget, ours.median, ratio?.median),
    };
  });
}

/** The names of the main figures whose spread is above this share. Main figures are those with a budget, or else all. */
export function unsteady(figures: readonly FigureResult[], share: number): string[] {
  const budgeted = figures.filter(({ budget }) => budget !== undefined);
  return (budgeted.length === 0 ? figures : budgeted)
    .filter(({ ours, peer }) => [ours, peer].some((sample) => sample && !isSteady(sample, share)))
    .map(({ what }) => what);
}

function figureOf({ figures }: Measurement, what: string): Figure {
  const found = figures.find((figure) => figure.what === what);
  if (found === undefined) throw new Error(`a repetition has no figure "${what}"`);
  return found;
}
