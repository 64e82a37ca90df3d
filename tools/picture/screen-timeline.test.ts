import { expect, test } from 'vitest';
import { playRecording, type ScreenTimeline } from './screen-timeline.ts';

const play = (events: [number, string][], rows = 5) =>
  playRecording({
    ...{ columns: 30, rows, endMs: 9000 },
    events: events.map(([atMs, text]) => ({ atMs, text })),
  });

/** The visible text at one time. */
function screenAt({ lines, tops, rows }: ScreenTimeline, atMs: number): string[] {
  const top = tops.findLast((each) => each.atMs <= atMs)?.top ?? 0;
  return Array.from({ length: rows }, (_, row) => {
    const state = lines.find(
      ({ line, fromMs, toMs = Number.POSITIVE_INFINITY }) =>
        line === top + row && fromMs <= atMs && atMs < toMs,
    );
    return (state?.runs ?? []).reduce((text, run) => text.padEnd(run.column) + run.text, '');
  });
}

test('a view that is redrawn in place shows each state in its time', async () => {
  const timeline = await play([
    [0, '$ trimtab status -w\r\n'],
    [1000, 'demo 1.0.1\r\n  web  1/3\r\n'],
    [2000, '\x1b[2A\x1b[Jdemo 1.0.1\r\n  web  3/3\r\n'],
    [3000, '\rdone\x1b[K\r\n'],
  ]);
  expect(screenAt(timeline, 500)).toEqual(['$ trimtab status -w', '', '', '', '']);
  expect(screenAt(timeline, 1000)).toEqual(['$ trimtab status -w', 'demo 1.0.1', '  web  1/3', '', '']);
  expect(screenAt(timeline, 2500)).toEqual(['$ trimtab status -w', 'demo 1.0.1', '  web  3/3', '', '']);
  expect(screenAt(timeline, 9000)).toEqual(['$ trimtab status -w', 'demo 1.0.1', '  web  3/3', 'done', '']);
  expect(timeline.lines.filter(({ line }) => line === 1)).toHaveLength(1);
});

test('output that is longer than the screen scrolls it', async () => {
  const timeline = await play(
    [
      [0, '1\r\n2\r\n'],
      [1000, '3\r\n4\r\n5\r\n6'],
    ],
    3,
  );
  expect(timeline.tops).toEqual([
    { atMs: 0, top: 0 },
    { atMs: 1000, top: 3 },
  ]);
  expect(screenAt(timeline, 0)).toEqual(['1', '2', '']);
  expect(screenAt(timeline, 1000)).toEqual(['4', '5', '6']);
});

test('text keeps its colours and its columns', async () => {
  const { lines } = await play([[0, 'a  \x1b[32mCurrent\x1b[0m \x1b[1mbold\x1b[0m\x1b[2m faint\x1b[0m']]);
  expect(lines[0]?.runs).toEqual([
    { column: 0, text: 'a' },
    { column: 3, text: 'Current', colour: 2 },
    { column: 11, text: 'bold', bold: true },
    { column: 16, text: 'faint', faint: true },
  ]);
});

test('the cursor follows the text and may be hidden', async () => {
  const { cursors } = await play([
    [0, '$ '],
    [1000, 'ls'],
    [2000, '\x1b[?25l'],
    [3000, '\x1b[?25h'],
    [4000, ''],
  ]);
  expect(cursors).toEqual([
    { atMs: 0, line: 0, column: 2, isShown: true },
    { atMs: 1000, line: 0, column: 4, isShown: true },
    { atMs: 2000, line: 0, column: 4, isShown: false },
    { atMs: 3000, line: 0, column: 4, isShown: true },
  ]);
});
