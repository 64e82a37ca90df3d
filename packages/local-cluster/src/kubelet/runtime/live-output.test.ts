import { PassThrough } from 'node:stream';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { expect, it } from 'vitest';
import { LiveOutput } from './live-output.ts';

it('who is attached gets what comes from then on, each stream at its own end', async () => {
  const output = new LiveOutput(new ManualClock());
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  await output.tell('stdout', Buffer.from('before'));
  const detach = output.attach({ stdout, stderr });
  await output.tell('stdout', Buffer.from('out'));
  await output.tell('stderr', Buffer.from('err'));
  detach();
  await output.tell('stdout', Buffer.from('after'));
  expect([String(stdout.read()), String(stderr.read())]).toEqual(['out', 'err']);
});

it('the program waits for a client that is slow', async () => {
  const clock = new ManualClock();
  const output = new LiveOutput(clock);
  const stdout = new PassThrough({ highWaterMark: 4 });
  output.attach({ stdout });
  let isThrough = false;
  const told = output.tell('stdout', Buffer.from('a long line')).then(() => {
    isThrough = true;
  });
  await clock.advance(9_999);
  expect(isThrough).toBe(false);
  stdout.resume();
  await told;
  expect([stdout.destroyed, clock.pending]).toEqual([false, 0]);
});

it('a client that takes nothing for ten seconds is let go', async () => {
  const clock = new ManualClock();
  const output = new LiveOutput(clock);
  const stdout = new PassThrough({ highWaterMark: 4 });
  output.attach({ stdout });
  const told = output.tell('stdout', Buffer.from('a long line'));
  await clock.advance(10_000);
  await told;
  expect(stdout.destroyed).toBe(true);
  await output.tell('stdout', Buffer.from('goes on'));
});
