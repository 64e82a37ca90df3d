import type { RolloutTree } from '../../view/rollout-tree.ts';
import { typedName } from '../object-argument.ts';
import { ageOf } from './age.ts';
import { cut, type Screen, type Tone } from './screen.ts';
import { branchesOf, toneOf, withSymbol } from './symbols.ts';
import { type Column, oneLine, renderTable } from './table.ts';
import { type TreeRow, treeRows } from './tree-rows.ts';
import { wrap } from './wrap.ts';

export interface TreeOptions {
  now: number;
  /** The number of lines that fit on the screen. Defaults to no limit. */
  height?: number;
}

/** Renders a tree as lines. On a terminal no line is wider than the terminal. */
export function renderTree(tree: RolloutTree, screen: Screen, { now, height }: TreeOptions): string[] {
  const details = detailLines(tree, screen, now);
  // An empty line and the headings are between the details and the rows.
  const room = height === undefined ? undefined : Math.max(2, height - details.length - 2);
  const rows = drawn(treeRows(tree, room), screen);
  const hasWaves = tree.workloads.some(({ wave = 0 }) => wave !== 0);
  const table = renderTable(columns(hasWaves, screen), rows, screen).trimEnd().split('\n');
  const lines = [...details, '', ...table];
  const { width } = screen;
  const ellipsis = screen.hasUnicode ? '…' : '...';
  const cutLines = width === undefined ? lines : lines.map((line) => cut(line, width, ellipsis));
  return height === undefined ? cutLines : cutLines.slice(0, Math.max(1, height));
}

interface DrawnRow {
  row: TreeRow;
  /** The box characters before the name. */
  stem: string;
}

function drawn(rows: readonly TreeRow[], screen: Screen): DrawnRow[] {
  const { middle, last, through, below } = branchesOf(screen);
  return rows.map((row, index) => {
    if (row.depth === 0) return { row, stem: '' };
    const later = rows.slice(index + 1);
    const end = later.findIndex(({ depth }) => depth < row.depth);
    const siblings = end === -1 ? later : later.slice(0, end);
    const own = siblings.some(({ depth }) => depth === row.depth) ? middle : last;
    const parent = row.depth === 1 ? '' : later.some(({ depth }) => depth === 1) ? through : below;
    return { row, stem: `${parent}${own}` };
  });
}

function columns(hasWaves: boolean, screen: Screen): Column<DrawnRow>[] {
  return [
    { title: 'NAME', cell: ({ row, stem }) => `${stem}${nameOf(row, screen)}` },
    { title: 'STATE', cell: ({ row }) => stateOf(row, screen), tone: ({ row }) => rowTone(row) },
    { title: 'VERSION', cell: ({ row }) => versionOf(row) },
    { title: 'UPDATED', cell: ({ row }) => countOf(row) },
    { title: 'INFO', cell: ({ row }) => infoOf(row, hasWaves), flexible: true },
  ];
}

function nameOf(row: TreeRow, screen: Screen): string {
  switch (row.is) {
    case 'config':
      return typedName(row.tree.config);
    case 'workload':
      return typedName(row.branch);
    case 'pod':
      return row.pod.name;
    case 'more':
      return `${screen.hasUnicode ? '…' : '...'} ${row.text}`;
  }
}

function stateOf(row: TreeRow, screen: Screen): string {
  const shown = healthOf(row);
  return shown === undefined ? '' : withSymbol(screen, shown.health, shown.words);
}

function rowTone(row: TreeRow): Tone | undefined {
  const shown = healthOf(row);
  return shown && toneOf(shown.health);
}

function healthOf(row: TreeRow) {
  switch (row.is) {
    case 'config':
      return row.tree;
    case 'workload':
      return row.branch;
    case 'pod':
      return row.pod;
    case 'more':
      return undefined;
  }
}

function versionOf(row: TreeRow): string {
  if (row.is === 'config') return row.tree.target?.version ?? row.tree.current?.version ?? '-';
  return row.is === 'pod' ? (row.pod.version ?? '-') : '';
}

function countOf(row: TreeRow): string {
  const counted = row.is === 'config' ? row.tree.pods : row.is === 'workload' ? row.branch : undefined;
  return counted === undefined ? '' : `${counted.updated}/${counted.total}`;
}

function infoOf(row: TreeRow, hasWaves: boolean): string {
  if (row.is === 'workload') {
    const { mode, wave, message } = row.branch;
    const how = hasWaves && wave !== undefined ? `${mode}, wave ${wave}` : mode;
    return message === undefined ? how : `${how}; ${message}`;
  }
  if (row.is !== 'pod') return '';
  const { restarts, problem } = row.pod;
  const restarted = restarts === 0 ? undefined : `${restarts} restart${restarts === 1 ? '' : 's'}`;
  return [restarted, problem].filter((part) => part !== undefined).join('; ');
}

/** The lines above the tree: label, text, colour. */
function detailLines(tree: RolloutTree, screen: Screen, now: number): string[] {
  const { current, target, bake } = tree;
  const found: [label: string, text: string | undefined, tone?: Tone][] = [
    ['Name', typedName(tree.config)],
    ['Namespace', tree.metadata.namespace],
    ['Status', withSymbol(screen, tree.health, tree.text), toneOf(tree.health)],
    ['Reason', tree.reason],
    ['Current', current && `${current.version}, for ${ageOf(current.since, now)}`],
    ['Target', target && targetText(target, now)],
    [
      'Together',
      target && target.together.length > 0 ? target.together.map(lowerKind).join(', ') : undefined,
    ],
    ['Bake', bake && bakeText(bake, now)],
    ['Release', tree.release === 'Auto' ? undefined : tree.release],
    ['Others', othersText(tree)],
    ...tree.notes.map((note): [string, string] => ['Note', note]),
  ];
  const label = 12;
  return found.flatMap(([name, text, tone]) => {
    if (text === undefined) return [];
    const width = screen.width === undefined ? undefined : Math.max(10, screen.width - label);
    return wrap(oneLine(text), width).map((line, index) => {
      const start = index === 0 ? `${name}:`.padEnd(label) : ' '.repeat(label);
      return `${start}${tone === undefined ? line : screen.colour(tone, line)}`;
    });
  });
}

function targetText(
  { version, startedAt, by, because }: NonNullable<RolloutTree['target']>,
  now: number,
): string {
  const parts = [`${version}, for ${ageOf(startedAt, now)}`, by && `requested by ${by}`, because];
  return parts.filter(Boolean).join(', ');
}

function bakeText({ seconds, healthySince }: NonNullable<RolloutTree['bake']>, now: number): string {
  return healthySince === undefined
    ? `healthy, observed for ${seconds}s`
    : `healthy for ${ageOf(healthySince, now)} of ${seconds}s`;
}

function othersText({ others }: RolloutTree): string | undefined {
  if (others.length === 0) return undefined;
  const names = others.slice(0, 5).map(typedName);
  const rest = others.length - names.length;
  return `${[...names, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')} (not moved by Trimtab)`;
}

function lowerKind(config: string): string {
  const slash = config.indexOf('/');
  return `${config.slice(0, slash).toLowerCase()}${config.slice(slash)}`;
}
