import { expect, test } from 'vitest';
import { type RecordedEvent, retime } from './recording.ts';

const timing = { idleMs: 1000, togetherMs: 30 };
const retimed = (events: RecordedEvent[]) => retime({ columns: 80, rows: 24, events }, timing);

test('a recording starts at once, and idle time is shortened', () => {
  const { events, endMs } = retimed([
    { atMs: 5000, text: 'a' },
    { atMs: 5400, text: 'b' },
    { atMs: 25_400, text: 'c' },
  ]);
  expect(events).toEqual([
    { atMs: 0, text: 'a' },
    { atMs: 400, text: 'b' },
    { atMs: 1400, text: 'c' },
  ]);
  expect(endMs).toBe(2400);
});

test('parts of one redraw are shown at once', () => {
  const { events } = retimed([
    { atMs: 0, text: 'a' },
    { atMs: 20, text: 'b' },
    { atMs: 30, text: 'c' },
    { atMs: 40, text: 'd' },
  ]);
  expect(events).toEqual([
    { atMs: 0, text: 'abc' },
    { atMs: 40, text: 'd' },
  ]);
});

test('a viewer has time to read', () => {
  const { events, endMs } = retimed([
    { atMs: 0, text: 'a', holdMs: 3000 },
    { atMs: 10, text: 'b', holdMs: 4000 },
  ]);
  expect(events).toEqual([
    { atMs: 0, text: 'a' },
    { atMs: 3000, text: 'b' },
  ]);
  expect(endMs).toBe(7000);
});
