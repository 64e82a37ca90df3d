import { expect, test } from 'vitest';
import { formatRecords, isDelivered, newRecord, parseRecords, withDelivered } from './delivery-record.ts';

const minute = 60_000;
const start = Date.parse('2026-01-01T00:00:00Z');
const at = (minutes: number) => new Date(start + minutes * minute).toISOString().replace('.000', '');
/** All records of these tests are from before. */
const later = start + 120 * minute;
const outcome = (id: string, minutes: number) => ({ id, time: at(minutes) });

test('what happened before a target was added is not sent to it', () => {
  const record = newRecord(start);
  expect(isDelivered(record, outcome('old', -1), later)).toBe(true);
  expect(isDelivered(record, outcome('same second', 0), later)).toBe(false);
  expect(isDelivered(record, outcome('new', 1), later)).toBe(false);
});

test('a new leader sends what the last one has not delivered, and nothing else', () => {
  let record = newRecord(start);
  const waiting = [at(10)];
  record = withDelivered(record, outcome('a', 11), waiting, start + 60 * minute);
  record = withDelivered(record, outcome('b', 50), waiting, start + 60 * minute);
  const read = parseRecords(formatRecords(new Map([['chat', record]]))).get('chat');
  if (read === undefined) throw new Error('the record is gone');
  expect([outcome('a', 11), outcome('b', 50)].every((each) => isDelivered(read, each, later))).toBe(true);
  expect(isDelivered(read, outcome('waits', 10), later)).toBe(false);
});

test('an outcome with the time of a slower clock is still sent', () => {
  const record = withDelivered(newRecord(start), outcome('a', 60), [], start + 60 * minute);
  expect(isDelivered(record, outcome('from another leader', 57), later)).toBe(false);
  expect(isDelivered(record, outcome('long ago', 54), later)).toBe(true);
});

test('the record does not grow without limit', () => {
  let record = newRecord(start);
  for (let i = 0; i < 2_000; i += 1)
    record = withDelivered(record, outcome(`id-${i}`, 1), [at(0)], start + minute);
  expect(record.delivered.size).toBeLessThanOrEqual(500);
  expect(isDelivered(record, outcome('id-1999', 1), later)).toBe(true);
});

test('a leader whose clock was ahead does not silence a target', () => {
  const now = start + 60 * minute;
  const ahead = withDelivered(newRecord(start), outcome('a', 60 * 24), [], start + 60 * 24 * minute);
  expect(isDelivered(ahead, outcome('new', 59), now)).toBe(false);
  expect(isDelivered(ahead, outcome('long ago', 54), now)).toBe(true);
  const corrected = withDelivered(ahead, outcome('new', 59), [], now);
  expect(isDelivered(corrected, outcome('next', 61), now + 2 * minute)).toBe(false);
});

test('a damaged record of one target leaves those of the others', () => {
  const whole = formatRecords(new Map([['log', newRecord(start)]]));
  const damaged = JSON.stringify({ chat: { since: at(0) }, none: null, ...JSON.parse(whole) });
  expect([...parseRecords(damaged).keys()]).toEqual(['log']);
});

test.each([undefined, '', '[', 'null', '{"chat": {"since": "never"}}'])('%j has no records', (text) => {
  expect(parseRecords(text).size).toBe(0);
});
