import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { StatusError } from '../answer/status-error.ts';
import { Turns } from './turns.ts';

const forever = new AbortController().signal;

/** Takes turns that last until the test ends them, and notes the order in which they begin. */
function record(turns: Turns) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const take = (caller: string, signal = forever) =>
    turns.take(caller, signal).then((end) => {
      begun.push(caller);
      ends.push(end);
    });
  const rounds = async (count: number) => {
    for (let round = 0; round < count; round++) await nextRound();
  };
  return { begun, ends, take, rounds };
}

test('another caller waits for one turn, not for the queue of a busy one', async () => {
  const turns = new Turns({ running: 1, runningPerCaller: 1, waitingPerCaller: 100 });
  const { begun, ends, take, rounds } = record(turns);
  for (let request = 0; request < 100; request++) void take('busy');
  await rounds(2);
  void take('other');
  void take('third');
  expect(turns.waiting).toBe(101);
  for (let turn = 0; turn < 4; turn++) {
    ends.shift()?.();
    await rounds(2);
  }
  expect(begun).toEqual(['busy', 'busy', 'other', 'third', 'busy']);
});

test('one caller gets only a part of the turns, so that one is free for the next', async () => {
  const { begun, take, rounds } = record(new Turns());
  for (let request = 0; request < 10; request++) void take('busy');
  await rounds(12);
  expect(begun).toEqual(['busy', 'busy']);
  void take('other');
  await rounds(2);
  expect(begun).toEqual(['busy', 'busy', 'other']);
});

test('at most one turn begins in each round of the event loop', async () => {
  const turns = new Turns({ running: 10, runningPerCaller: 10, waitingPerCaller: 100 });
  const begun: number[] = [];
  let round = 0;
  for (let request = 0; request < 4; request++) void turns.take('a', forever).then(() => begun.push(round));
  for (; round < 6; round++) await nextRound();
  expect(new Set(begun).size).toBe(4);
});

test('beyond the queue of a caller, the caller is told to retry', async () => {
  const turns = new Turns({ running: 1, runningPerCaller: 1, waitingPerCaller: 2 });
  const { begun, take, rounds } = record(turns);
  void take('busy');
  await rounds(2);
  void take('busy');
  void take('busy');
  const refusal = await Promise.resolve()
    .then(() => turns.take('busy', forever))
    .catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(StatusError);
  expect((refusal as StatusError).body).toMatchObject({ code: 429, reason: 'TooManyRequests' });
  expect((refusal as StatusError).headers).toEqual({ 'retry-after': '1' });
  void take('other');
  expect(turns.waiting).toBe(3);
  expect(begun).toEqual(['busy']);
});

test('a request that is given up leaves the queue and takes no turn', async () => {
  const turns = new Turns({ running: 1, runningPerCaller: 1, waitingPerCaller: 2 });
  const { begun, ends, take, rounds } = record(turns);
  void take('a');
  await rounds(2);
  const left = new AbortController();
  const given = take('a', left.signal).catch((error: unknown) => error);
  void take('a');
  left.abort(new Error('the client disconnected'));
  expect(await given).toBe(left.signal.reason);
  expect(turns.waiting).toBe(1);
  await expect(take('b', left.signal)).rejects.toBe(left.signal.reason);
  ends[0]?.();
  ends[0]?.();
  await rounds(2);
  expect(begun).toEqual(['a', 'a']);
  expect(turns.waiting).toBe(0);
});
