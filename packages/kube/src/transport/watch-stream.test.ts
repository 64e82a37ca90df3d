import type { ServerResponse } from 'node:http';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { describe, expect, test } from 'vitest';
import { transportScene } from '../../test/transport-scene.ts';
import { answerJson, status } from '../../test/transport-server.ts';
import type { WatchStream } from '../client.ts';
import { type Clock, systemClock } from '../clock.ts';
import { configMaps } from '../resource.ts';

const scene = transportScene();

/** Opens a watch; returns its stream and the server's response. */
async function watching(
  options: { clock?: Clock; maxSilenceMs?: number; projection?: 'metadata' } = {},
): Promise<{ stream: WatchStream; server: ServerResponse; giveUp: AbortController }> {
  const opened = Promise.withResolvers<ServerResponse>();
  const server = await scene.http((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    opened.resolve(response);
  });
  const { clock = systemClock, ...rest } = options;
  const client = scene.clientOf(server, clock);
  const giveUp = new AbortController();
  const stream = await client.watch(configMaps, { signal: giveUp.signal, timeoutSeconds: 300, ...rest });
  return { stream, server: await opened.promise, giveUp };
}

async function all(stream: WatchStream): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of stream.events) events.push(event);
  return events;
}

describe('events', () => {
  test('come in order, whole, wherever the bytes were cut', async () => {
    const { stream, server } = await watching();
    const bytes = Buffer.from('{"type":"ADDED","object":{"a":"Zürich 🚢"}}\n{"type":"MODIFIED"}\n');
    const cut = bytes.indexOf(Buffer.from('🚢')) + 2;
    const iterator = stream.events[Symbol.asyncIterator]();
    const first = iterator.next();
    server.write(bytes.subarray(0, cut));
    server.end(bytes.subarray(cut));
    expect((await first).value).toEqual({ type: 'ADDED', object: { a: 'Zürich 🚢' } });
    expect((await iterator.next()).value).toEqual({ type: 'MODIFIED' });
    expect((await iterator.next()).done).toBe(true);
  });

  test('end with an error when the last one is cut', async () => {
    const { stream, server } = await watching();
    server.end('{"type":"ADDED"}\n{"type":"MODI');
    await expect(all(stream)).rejects.toMatchObject({ name: 'NetworkError', code: 'ECONNRESET' });
  });

  test('end with an error when the connection breaks', async () => {
    const { stream, server } = await watching();
    server.write('{"type":"ADDED"}\n');
    const iterator = stream.events[Symbol.asyncIterator]();
    await iterator.next();
    server.socket?.resetAndDestroy();
    await expect(iterator.next()).rejects.toMatchObject({
      name: 'NetworkError',
      code: 'ECONNRESET',
      sent: 'maybe',
    });
  });

  test('that nobody reads yet do no harm when the connection breaks, and tell of it later', async () => {
    const { stream, server } = await watching();
    const gone = new Promise((resolve) => server.on('close', resolve));
    server.socket?.resetAndDestroy();
    await gone;
    await expect(all(stream)).rejects.toMatchObject({ name: 'NetworkError' });
  });

  test('that are not JSON end the watch, and are not shown', async () => {
    const { stream, server } = await watching();
    server.end('password=hunter2\n');
    const error: unknown = await all(stream).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'NetworkError', code: 'ERR_BODY_NOT_JSON' });
    expect(String(error)).not.toContain('hunter2');
  });

  test('of more than 16 MiB end the watch', async () => {
    const { stream, server } = await watching();
    server.end(Buffer.alloc(17 * 1024 * 1024, 'x'));
    await expect(all(stream)).rejects.toMatchObject({ name: 'NetworkError', code: 'ERR_BODY_TOO_LARGE' });
  });

  test('are cut to metadata when the server sends whole objects', async () => {
    const { stream, server } = await watching({ projection: 'metadata' });
    const metadata = { name: 'foo' };
    server.write(
      `${JSON.stringify({ type: 'ADDED', object: { kind: 'ConfigMap', metadata, data: { a: 'b' } } })}\n`,
    );
    server.end(`${JSON.stringify({ type: 'ERROR', object: status(410, 'Expired') })}\n`);
    expect(await all(stream)).toEqual([
      { type: 'ADDED', object: { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata } },
      { type: 'ERROR', object: status(410, 'Expired') },
    ]);
  });

  test('wait for a consumer that is slow: the server is slowed down, not our memory filled', async () => {
    const { stream, server } = await watching();
    const event = `${JSON.stringify({ type: 'ADDED', object: 'x'.repeat(100_000) })}\n`;
    let written = 0;
    const total = 1_000;
    const writing = (async () => {
      for (; written < total; written++) {
        if (!server.write(event)) await new Promise((resolve) => server.once('drain', resolve));
      }
      server.end();
    })();
    const iterator = stream.events[Symbol.asyncIterator]();
    await iterator.next();
    // The server offers 100 MB; it can write only what the sockets of both sides buffer.
    const pending = await Promise.race([writing.then(() => 'all written'), settled(() => written)]);
    expect(pending).not.toBe('all written');
    let read = 1;
    while (!(await iterator.next()).done) read++;
    expect(read).toBe(total);
  });
});

/** Resolves when `value` stays the same over many turns of the event loop. */
async function settled(value: () => number): Promise<string> {
  for (let calm = 0, last = value(); calm < 2_000; calm = value() === last ? calm + 1 : 0) {
    last = value();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return 'paused';
}

describe('the end of a watch', () => {
  test('by its consumer is quiet, and frees the connection', async () => {
    const { stream, server } = await watching();
    const gone = new Promise((resolve) => server.on('close', resolve));
    const events = all(stream);
    stream.close();
    expect(await events).toEqual([]);
    await gone;
  });

  test('by leaving the loop frees the connection', async () => {
    const { stream, server } = await watching();
    const gone = new Promise((resolve) => server.on('close', resolve));
    server.write('{"type":"ADDED"}\n');
    for await (const event of stream.events) {
      expect(event).toEqual({ type: 'ADDED' });
      break;
    }
    await gone;
  });

  test("by its signal is the signal's reason, before and after the first event", async () => {
    for (const events of [0, 1]) {
      const { stream, server, giveUp } = await watching();
      const iterator = stream.events[Symbol.asyncIterator]();
      if (events > 0) {
        server.write('{"type":"ADDED"}\n');
        await iterator.next();
      }
      const reason = new Error('leadership lost');
      const next = iterator.next();
      giveUp.abort(reason);
      await expect(next).rejects.toBe(reason);
    }
  });

  test('comes when the peer says nothing for too long, and not while the consumer is busy', async () => {
    const clock = new ManualClock();
    const { stream, server } = await watching({ clock, maxSilenceMs: 90_000 });
    const iterator = stream.events[Symbol.asyncIterator]();
    server.write('{"type":"ADDED"}\n{"type":"BOOKMARK"}\n');
    await iterator.next();
    await clock.advance(600_000);
    expect((await iterator.next()).value).toEqual({ type: 'BOOKMARK' });
    const next = iterator.next();
    const outcome = expect(next).rejects.toMatchObject({
      name: 'NetworkError',
      code: 'ETIMEDOUT',
      message: expect.stringContaining('no event or bookmark for 90000 ms'),
    });
    await clock.advance(90_000);
    await outcome;
    expect(clock.pending).toBe(0);
  });
});

describe('a watch that cannot be opened', () => {
  test("is the server's error, and is not tried again: its owner has a back-off", async () => {
    let asked = 0;
    const server = await scene.http((_request, response) => {
      asked++;
      answerJson(response, 503, status(503, 'ServiceUnavailable'));
    });
    const { signal } = new AbortController();
    const watch = scene.clientOf(server).watch(configMaps, { signal, timeoutSeconds: 300 });
    await expect(watch).rejects.toMatchObject({ name: 'ApiError', status: 503 });
    expect(asked).toBe(1);
  });

  test('because the server does not answer ends with its signal', async () => {
    const server = await scene.silent();
    const giveUp = new AbortController();
    const watch = scene.clientOf(server).watch(configMaps, { signal: giveUp.signal, timeoutSeconds: 300 });
    await server.asked;
    giveUp.abort();
    await expect(watch).rejects.toBe(giveUp.signal.reason);
  });
});
