import type { ScreenTimeline } from './screen-timeline.ts';

/** The text that a terminal shows at the end, with the lines that have scrolled out of sight. Wrapped lines are joined. */
export function finalText({ lines, columns }: ScreenTimeline): string {
  const last = new Map(lines.filter(({ toMs }) => toMs === undefined).map((state) => [state.line, state]));
  const count = Math.max(-1, ...last.keys()) + 1;
  const result: string[] = [];
  for (let line = 0; line < count; line++) {
    const state = last.get(line);
    const text = (state?.runs ?? []).reduce((sum, run) => sum.padEnd(run.column) + run.text, '');
    const above = result.at(-1);
    if (state?.isWrapped && above !== undefined)
      result[result.length - 1] = above.padEnd(Math.ceil(above.length / columns) * columns) + text;
    else result.push(text);
  }
  return result.map((line) => `${line}\n`).join('');
}
