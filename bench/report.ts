import { amount } from './amount.ts';
import { budgetText } from './budget.ts';
import { steadyShare } from './repetitions.ts';
import { type FigureResult, type RowResult, unsteady } from './row-result.ts';
import type { RunDocument } from './run-document.ts';
import { table } from './table.ts';

export function renderReport({ machine, commit, count, load, results }: RunDocument): string {
  const { cores, processor, memoryGb, node, kubernetes } = machine;
  const facts = [
    `${cores} cores (${processor}), ${memoryGb} GB, Node ${node}, Kubernetes ${kubernetes}`,
    `commit ${commit}, load ${load.start} at the start and ${load.end} at the end`,
    ...(count === null
      ? []
      : [
          `--count ${count}: compare these figures only with runs of the same --count, and not with the budgets`,
        ]),
  ].join('\n');
  return [facts, ...results.map(renderResult), verdict(results)].join('\n\n');
}

function renderResult({ row, ours, peer, how, repetitions, seconds, load, figures }: RowResult): string {
  const compared = figures.some(({ ratio }) => ratio !== undefined);
  const withReloader = figures.some(({ reloader }) => reloader !== undefined);
  const line = (figure: FigureResult) => [
    figure.what,
    amount(figure.ours, figure.unit),
    figure.peer === undefined ? '–' : amount(figure.peer, figure.unit),
    ...(compared ? [figure.ratio?.median.toFixed(2) ?? '–'] : []),
    ...(withReloader ? [figure.reloader === undefined ? '–' : amount(figure.reloader, figure.unit)] : []),
    budgetCell(figure, peer),
  ];
  const head = [
    '',
    ours,
    peer,
    ...(compared ? ['ratio'] : []),
    ...(withReloader ? ['Reloader'] : []),
    'budget',
  ];
  const times = repetitions === 1 ? '1 repetition' : `${repetitions} repetitions`;
  const varying = repetitions === 1 ? [] : unsteady(figures, steadyShare);
  const doubt = varying.length === 0 ? '' : `; spread above ${steadyShare * 100} %: ${varying.join('; ')}`;
  return [
    `${row}: ${how}`,
    `${times} in ${seconds.toFixed(0)} s, load ${load.start} at the start and ${load.end} at the end${doubt}`,
    ...table([head, ...figures.map(line)]),
  ].join('\n');
}

function budgetCell({ budget, unit, missed }: FigureResult, peer: string): string {
  if (budget === undefined) return '–';
  return `${budgetText(budget, unit, peer)}${missed ? ' (missed)' : ''}`;
}

function verdict(results: readonly RowResult[]): string {
  const missed = results.flatMap(({ row, figures }) =>
    figures.filter((figure) => figure.missed).map(({ what }) => `  ${row}: ${what}`),
  );
  return missed.length === 0 ? 'All budgets are met.' : ['Missed budgets:', ...missed].join('\n');
}
