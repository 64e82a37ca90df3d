import type { IncomingMessage } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { expect, test, vi } from 'vitest';
import { StatusError } from '../answer/status-error.ts';
import { readBody } from './read-body.ts';

const clock = new ManualClock();

/** A request whose body arrives in these chunks. */
function incoming(pieces: readonly string[], headers: Record<string, string> = {}): IncomingMessage {
  const stream = Readable.from(
    pieces.map((piece) => Buffer.from(piece)),
    { objectMode: false },
  );
  return Object.assign(stream, { headers }) as unknown as IncomingMessage;
}

test('a body is put together from its pieces, up to the limit', async () => {
  expect((await readBody(incoming(['ab', 'cd']), { clock, limit: 4 })).toString()).toBe('abcd');
  expect(await readBody(incoming([]), { clock, limit: 4 })).toHaveLength(0);
});

test.each([
  ['too long in pieces', ['abc', 'de'], {}],
  ['far too long, so that nobody waits for its end', ['abcdefghijklmnopq', 'r'], {}],
  ['announced as far too long', [], { 'content-length': '17' }],
])('a body that is %s is refused', async (_, pieces, headers) => {
  const refusal = await readBody(incoming(pieces, headers), { clock, limit: 4 }).catch(
    (error: unknown) => error,
  );
  expect(refusal).toBeInstanceOf(StatusError);
  expect((refusal as StatusError).body).toMatchObject({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: 'Request entity too large: limit is 4',
  });
});

/** A request whose body the test sends. */
function sending(): { body: PassThrough; incoming: IncomingMessage } {
  const body = new PassThrough();
  return { body, incoming: Object.assign(body, { headers: {} }) as unknown as IncomingMessage };
}

function outcome(reading: Promise<Buffer>): Promise<unknown> {
  return reading.then(
    (body) => body.length,
    (error: unknown) => (error instanceof StatusError ? error.body.code : error),
  );
}

test('a body whose client has left is given up at once', async () => {
  const { body, incoming } = sending();
  body.write('a');
  body.destroy();
  const timers = clock.pending;
  const read = outcome(readBody(incoming, { clock }));
  expect(clock.pending).toBe(timers);
  expect(await read).toEqual(new Error('the client disconnected before the end of the body'));
});

test('a body that stops coming is refused after 10 s', async () => {
  const { body, incoming } = sending();
  const read = outcome(readBody(incoming, { clock }));
  body.write(Buffer.alloc(1_000_000));
  await clock.advance(9_000);
  body.write(Buffer.alloc(1_000_000));
  await clock.advance(9_999);
  expect(body.listenerCount('data')).toBe(1);
  await clock.advance(1);
  expect(await read).toBe(408);
  expect(clock.pending).toBe(0);
});

test('a body that comes a byte at a time is refused, and one that is merely slow is read', async () => {
  const [trickle, slow] = [sending(), sending()];
  const reads = [trickle, slow].map(({ incoming }) => outcome(readBody(incoming, { clock })));
  for (let second = 0; second < 30; second++) {
    if (trickle.body.listenerCount('data') > 0) trickle.body.write('x');
    slow.body.write(Buffer.alloc(5_000));
    await clock.advance(1_000);
  }
  slow.body.end();
  expect(await Promise.all(reads)).toEqual([408, 150_000]);
  expect(clock.pending).toBe(0);
});

test('memory is charged before it is reserved, and the body is refused when the budget is used up', async () => {
  const { body, incoming } = sending();
  const charged: number[] = [];
  const refusal = new StatusError(429, 'TooManyRequests', 'no');
  const read = outcome(
    readBody(incoming, {
      clock,
      charge(bytes) {
        charged.push(bytes);
        if (charged.length === 2) throw refusal;
      },
    }),
  );
  body.write('abc');
  await clock.advance(0);
  body.write('de');
  expect(await read).toBe(429);
  expect(charged).toEqual([3, 3]);
});

test('a body of tiny chunks holds no more memory than it is charged for', async () => {
  let charged = 0;
  const { body, incoming } = sending();
  const read = readBody(incoming, {
    clock,
    charge(bytes) {
      charged += bytes;
    },
  });
  const before = await heldBytes();
  // Each chunk is a part of a large buffer.
  for (let n = 0; n < 2_000; n++) {
    body.write(
      Buffer.allocUnsafeSlow(64 * 1024)
        .fill(n)
        .subarray(0, 1),
    );
    if (n % 100 === 0) await clock.advance(0);
  }
  await vi.waitFor(async () => expect((await heldBytes()) - before).toBeLessThan(1_000_000));
  body.end();
  expect((await read).equals(Buffer.from(Array.from({ length: 2_000 }, (_, n) => n % 256)))).toBe(true);
  expect(charged).toBe(2_048);
});

/** Bytes of buffers that are still in use. */
async function heldBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => Promise<void>;
  await collect({ type: 'major', execution: 'async' });
  return process.memoryUsage().arrayBuffers;
}

test('a client that disconnects in its body ends the read', async () => {
  const { body, incoming } = sending();
  const read = outcome(readBody(incoming, { clock }));
  body.destroy();
  expect(await read).toBeInstanceOf(Error);
  expect(clock.pending).toBe(0);
});
