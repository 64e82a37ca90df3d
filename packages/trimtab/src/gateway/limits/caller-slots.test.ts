import { expect, test } from 'vitest';
import { StatusError } from '../answer/status-error.ts';
import { CallerSlots } from './caller-slots.ts';

const forever = new AbortController().signal;

test('a caller has its slots, whatever the others do, and those that wait get them in order', async () => {
  const slots = new CallerSlots({ runningPerCaller: 1, waitingPerCaller: 2 });
  const begun: string[] = [];
  const releases: (() => void)[] = [];
  const take = (caller: string, name: string) =>
    slots.take(caller, forever).then((release) => {
      begun.push(name);
      releases.push(release);
    });
  await take('slow', 'slow 1');
  const waiting = [take('slow', 'slow 2'), take('slow', 'slow 3')];
  await take('other', 'other');
  expect([begun, slots.waiting]).toEqual([['slow 1', 'other'], 2]);
  releases[0]?.();
  releases[0]?.();
  await waiting[0];
  expect(begun).toEqual(['slow 1', 'other', 'slow 2']);
  releases[2]?.();
  await waiting[1];
  expect(slots.waiting).toBe(0);
});

test('beyond its line, the caller is told to retry', async () => {
  const slots = new CallerSlots({ runningPerCaller: 1, waitingPerCaller: 1 });
  await slots.take('busy', forever);
  void slots.take('busy', forever);
  const refusal = await slots.take('busy', forever).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(StatusError);
  expect((refusal as StatusError).body).toMatchObject({ code: 429, reason: 'TooManyRequests' });
  expect((refusal as StatusError).headers).toEqual({ 'retry-after': '1' });
});

test('a request that is given up leaves the line and takes no slot', async () => {
  const slots = new CallerSlots({ runningPerCaller: 1, waitingPerCaller: 2 });
  const release = await slots.take('a', forever);
  const left = new AbortController();
  const given = slots.take('a', left.signal).catch((error: unknown) => error);
  const next = slots.take('a', forever);
  left.abort(new Error('the client disconnected'));
  expect(await given).toBe(left.signal.reason);
  release();
  (await next)();
  expect(slots.waiting).toBe(0);
});

test('a request whose client has left takes no slot that is free', async () => {
  const slots = new CallerSlots({ runningPerCaller: 1, waitingPerCaller: 0 });
  const left = AbortSignal.abort(new Error('the client disconnected'));
  await expect(slots.take('a', left)).rejects.toBe(left.reason);
  (await slots.take('a', forever))();
});
