import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { StatusError } from '../answer/status-error.ts';
import { Turns } from './turns.ts';

const forever = new AbortController().signal;

/** Notes the order in which turns begin. */
function record(turns: Turns) {
  const begun: string[] = [];
  const take = (caller: string, signal = forever) =>
    turns.take(caller, signal).then(() => begun.push(caller));
  return { begun, take };
}

test('another caller waits for one turn, not for the line of a busy one', async () => {
  const turns = new Turns();
  const { begun, take } = record(turns);
  for (let request = 0; request < 100; request++) void take('busy');
  const others = [take('other'), take('third')];
  expect(turns.waiting).toBe(102);
  await Promise.all(others);
  expect(begun).toEqual(['busy', 'other', 'third']);
});

test('one turn begins in each round of the event loop', async () => {
  const turns = new Turns();
  const begun: number[] = [];
  let round = 0;
  for (let request = 0; request < 4; request++) void turns.take('a', forever).then(() => begun.push(round));
  for (; round < 6; round++) await nextRound();
  expect(new Set(begun).size).toBe(4);
});

test('a request that waits for something else after its turn keeps no turn', async () => {
  const turns = new Turns();
  const never = new Promise(() => {});
  for (let request = 0; request < 20; request++) void turns.take('slow', forever).then(() => never);
  await turns.take('other', forever);
  await turns.take('slow', forever);
  expect(turns.waiting).toBe(0);
});

test('beyond its line, the caller is told to retry', async () => {
  const turns = new Turns(2);
  const { take } = record(turns);
  void take('busy');
  void take('busy');
  const refusal = await Promise.resolve()
    .then(() => turns.take('busy', forever))
    .catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(StatusError);
  expect((refusal as StatusError).body).toMatchObject({ code: 429, reason: 'TooManyRequests' });
  expect((refusal as StatusError).headers).toEqual({ 'retry-after': '1' });
  await take('other');
  await take('busy');
  expect(turns.waiting).toBe(0);
});

test('a request that is given up leaves the line and takes no turn', async () => {
  const turns = new Turns();
  const { begun, take } = record(turns);
  const left = new AbortController();
  const given = take('a', left.signal).catch((error: unknown) => error);
  const next = take('a');
  left.abort(new Error('the client disconnected'));
  expect(await given).toBe(left.signal.reason);
  expect(turns.waiting).toBe(1);
  await expect(take('b', left.signal)).rejects.toBe(left.signal.reason);
  await next;
  expect(begun).toEqual(['a']);
  await nextRound();
  expect(turns.waiting).toBe(0);
});
