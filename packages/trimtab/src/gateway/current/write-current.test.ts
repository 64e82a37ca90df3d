import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { entityTag } from '../answer/entity-tag.ts';
import { UnsentBudget } from '../limits/unsent-budget.ts';
import { WatchPayload } from '../streams/watch-payload.ts';
import { writeCurrent } from './write-current.ts';

test.each(['json', 'yaml'] as const)(
  'a read as %s serializes the version once, and a client that has it costs nothing',
  async (format) => {
    const done = { reads: 0, serialized: 0 };
    const version = {
      toJSON() {
        done.serialized += 1;
        return { kind: 'ConfigMap', data: { color: 'blue' } };
      },
    };
    const applied = {
      ...{ key: 'u 1', resourceVersion: '1', managed: true },
      read: async () => {
        done.reads += 1;
        return new WatchPayload(version);
      },
    };
    const answer = async (headers: Record<string, string>) => {
      const incoming = new IncomingMessage(new Socket());
      incoming.headers = { accept: `application/${format}`, ...headers };
      const response = new ServerResponse(incoming);
      await writeCurrent(response, applied, {
        signal: new AbortController().signal,
        turn: async () => {},
        unsent: new UnsentBudget().open('a', '192.0.2.1'),
      });
      return response.statusCode;
    };
    expect([await answer({}), done]).toEqual([200, { reads: 1, serialized: 1 }]);
    const tag = entityTag(applied.key, format);
    expect(await answer({ 'if-none-match': `"${tag}"` })).toBe(304);
    expect(done).toEqual({ reads: 1, serialized: 1 });
  },
);

test('what waits for a turn to be written as YAML is counted, and a read is refused when there is no memory for it', async () => {
  const budget = new UnsentBudget();
  const payload = new WatchPayload({ data: { large: 'x'.repeat(10 * 2 ** 20) } });
  const applied = { key: 'u 1', resourceVersion: '1', managed: true, read: async () => payload };
  const turn = Promise.withResolvers<void>();
  const responses: ServerResponse[] = [];
  const read = async () => {
    const incoming = new IncomingMessage(new Socket());
    Object.assign(incoming, { method: 'GET', headers: { accept: 'application/yaml' } });
    const response = new ServerResponse(incoming);
    responses.push(response);
    const { signal } = new AbortController();
    await writeCurrent(response, applied, {
      signal,
      turn: () => turn.promise,
      unsent: budget.open('a', '192.0.2.1'),
    });
  };
  const reads = [read(), read(), read()];
  await expect(read()).rejects.toMatchObject({ body: { code: 429 } });
  expect(budget.used).toBe(3 * Buffer.byteLength(payload.text));
  turn.resolve();
  await Promise.all(reads);
  expect(responses.map(({ statusCode, headersSent }) => headersSent && statusCode)).toEqual([
    ...[200, 200, 200, false],
  ]);
  expect(budget.used).toBe(3 * (Buffer.byteLength(payload.text) + 1));
});
