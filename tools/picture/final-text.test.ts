import { expect, test } from 'vitest';
import { finalText } from './final-text.ts';
import { playRecording } from './screen-timeline.ts';

async function textOf(columns: number, events: string[]): Promise<string> {
  const recording = { columns, rows: 2, endMs: 9000 };
  return finalText(
    await playRecording({
      ...recording,
      events: events.map((text, index) => ({ atMs: index * 1000, text })),
    }),
  );
}

test('the text at the end includes what has scrolled away, but nothing that was overwritten', async () => {
  const events = ['$ one\r\nrolling out', '\r\x1b[Kcurrent\r\n\r\n', '$ two\r\n  \x1b[32mgood\x1b[0m  news'];
  expect(await textOf(30, events)).toBe('$ one\ncurrent\n\n$ two\n  good  news\n');
});

test('lines that are wider than the screen stay one line', async () => {
  expect(await textOf(5, ['one two three four\r\n', 'five'])).toBe('one two three four\nfive\n');
});
