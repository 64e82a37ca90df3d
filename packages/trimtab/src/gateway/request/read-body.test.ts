import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { StatusError } from '../answer/status-error.ts';
import { readBody } from './read-body.ts';

/** A request whose body arrives in these chunks. */
function incoming(pieces: readonly string[], headers: Record<string, string> = {}): IncomingMessage {
  const stream = Readable.from(
    pieces.map((piece) => Buffer.from(piece)),
    { objectMode: false },
  );
  return Object.assign(stream, { headers }) as unknown as IncomingMessage;
}

test('a body is put together from its pieces, up to the limit', async () => {
  expect((await readBody(incoming(['ab', 'cd']), 4)).toString()).toBe('abcd');
  expect(await readBody(incoming([]), 4)).toHaveLength(0);
});

test.each([
  ['too long in pieces', ['abc', 'de'], {}],
  ['far too long, so that nobody waits for its end', ['abcdefghijklmnopq', 'r'], {}],
  ['announced as far too long', [], { 'content-length': '17' }],
])('a body that is %s is refused', async (_, pieces, headers) => {
  const refusal = await readBody(incoming(pieces, headers), 4).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(StatusError);
  expect((refusal as StatusError).body).toMatchObject({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: 'Request entity too large: limit is 4',
  });
});
