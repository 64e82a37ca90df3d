import type { RolloutTree } from '../../view/rollout-tree.ts';
import { typedName } from '../object-argument.ts';
import { ageOf } from './age.ts';
import { cut, type Screen } from './screen.ts';
import { toneOf, withSymbol } from './symbols.ts';
import { type Column, renderTable } from './table.ts';

interface TableOptions {
  now: number;
  wide: boolean;
  withNamespace: boolean;
}

/** Renders all configs as a table: what is current, what is on its way, and why something waits or failed. */
export function renderStatusTable(
  trees: readonly RolloutTree[],
  screen: Screen,
  { now, wide, withNamespace }: TableOptions,
): string {
  const columns: Column<RolloutTree>[] = [
    ...(withNamespace
      ? [{ title: 'NAMESPACE', cell: ({ metadata }: RolloutTree) => metadata.namespace }]
      : []),
    { title: 'CONFIG', cell: ({ config }) => typedName(config) },
    { title: 'CURRENT', cell: ({ current }) => current?.version ?? '-' },
    { title: 'TARGET', cell: ({ target }) => target?.version ?? '-' },
    {
      title: 'STATE',
      cell: ({ health, words }) => withSymbol(screen, health, words),
      tone: ({ health }) => toneOf(health),
    },
    { title: 'PODS', cell: ({ pods }) => `${pods.updated}/${pods.total}` },
    { title: 'AGE', cell: ({ target, current }) => ageOf(target?.startedAt ?? current?.since, now) },
    { title: 'RELEASE', cell: ({ release }) => release, wide: true },
    { title: 'BY', cell: ({ target }) => target?.by ?? '-', wide: true },
    { title: 'REASON', cell: ({ reason = '' }) => reason, flexible: true },
  ];
  const table = renderTable(columns, trees, screen, { wide });
  const { width } = screen;
  if (width === undefined) return table;
  const ellipsis = screen.hasUnicode ? '…' : '...';
  return table.replace(/.+/g, (line) => cut(line, width, ellipsis));
}
