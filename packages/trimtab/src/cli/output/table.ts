import { visible } from '../../core/messages/quoted.ts';
import { cut, type Screen, type Tone, widthOf } from './screen.ts';

export interface Column<T> {
  /** Heading, in capitals as kubectl writes it. */
  title: string;
  cell: (row: T) => string;
  tone?: (row: T) => Tone | undefined;
  /** Shown only with `-o wide`. */
  wide?: true;
  /** May be cut when the table is wider than the terminal. The last such column is cut first. */
  flexible?: true;
}

const gap = 3;
/** A column is not cut below this width. */
const narrowest = 12;

/** Renders rows as kubectl does. On a terminal the table fits its width; elsewhere nothing is cut. */
export function renderTable<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  screen: Screen,
  { wide = false, headers = true }: { wide?: boolean; headers?: boolean } = {},
): string {
  const shown = columns.filter((column) => wide || !column.wide);
  const cells = rows.map((row) => shown.map(({ cell }) => oneLine(cell(row))));
  const titles = headers ? [shown.map(({ title }) => title)] : [];
  const widths = fitted(
    shown.map((_, index) => Math.max(0, ...[...titles, ...cells].map((each) => widthOf(each[index] ?? '')))),
    shown.map(({ flexible = false }) => flexible),
    screen.width,
  );
  const ellipsis = screen.hasUnicode ? '…' : '...';
  const lines = [
    ...titles.map((line) => joined(line, widths, ellipsis)),
    ...cells.map((line, row) =>
      joined(line, widths, ellipsis, (text, index) => {
        const tone = shown[index]?.tone?.(rows[row] as T);
        return tone === undefined ? text : screen.colour(tone, text);
      }),
    ),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/**
 * A message of a container may have several lines, and control characters that would disturb the terminal. Invisible
 * characters of a name are shown as escapes.
 */
export function oneLine(text: string): string {
  return visible(text.replace(/\p{Cc}+/gu, ' ').trimEnd());
}

/** Cuts flexible columns, the last one first, until the table fits. */
function fitted(widths: number[], flexible: readonly boolean[], limit: number | undefined): number[] {
  const result = [...widths];
  if (limit === undefined) return result;
  const total = () => result.reduce((sum, width) => sum + width, 0) + gap * (result.length - 1);
  for (let index = result.length - 1; index >= 0 && total() > limit; index--) {
    if (!flexible[index]) continue;
    const width = result[index] ?? 0;
    result[index] = Math.min(width, Math.max(narrowest, width - (total() - limit)));
  }
  return result;
}

function joined(
  cells: readonly string[],
  widths: readonly number[],
  ellipsis: string,
  decorate: (text: string, index: number) => string = (text) => text,
): string {
  return cells
    .map((cell, index) => {
      const width = widths[index] ?? 0;
      const text = cut(cell, width, ellipsis);
      const padding = index === cells.length - 1 ? '' : ' '.repeat(width - widthOf(text) + gap);
      return `${decorate(text, index)}${padding}`;
    })
    .join('')
    .trimEnd();
}
