import { once } from 'node:events';
import { Agent, type IncomingMessage, type RequestOptions, request, type ServerResponse } from 'node:http';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ScriptedUpstream } from '../../../test/gateway/support/scripted-upstream.ts';

let upstream: ScriptedUpstream;
afterEach(() => upstream?.close());

async function start(...args: Parameters<typeof ScriptedUpstream.start>): Promise<ScriptedUpstream> {
  upstream = await ScriptedUpstream.start(...args);
  return upstream;
}

/** A request whose body is not finished and whose response is not read yet. */
function open(path: string, options: RequestOptions = {}) {
  const outgoing = request(`${upstream.url}${path}`, options);
  const answer = once(outgoing, 'response').then(
    ([response]: IncomingMessage[]) => response as IncomingMessage,
  );
  answer.catch(() => {});
  return { outgoing, answer };
}

async function textOf(message: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of message.setEncoding('utf8')) text += part;
  return text;
}

async function ask(path: string, options: RequestOptions = {}, body?: string) {
  const { outgoing, answer } = open(path, options);
  outgoing.end(body);
  const response = await answer;
  return { response, text: await textOf(response) };
}

const next = async (message: IncomingMessage): Promise<string> => String((await once(message, 'data'))[0]);

describe('a request passes', () => {
  test.each([
    '/api/v1/namespaces/a/configmaps/a%2Fb%20c',
    '/api//v1/../x/./%2e%2e/%2F?watch&x=%zz&y=a+b&y=%20',
    "/~!$&'()*,;=:@?/?",
  ])('with path and query byte for byte: %s', async (path) => {
    await start({}, { prefix: '/clusters/one' });
    await upstream.raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(upstream.requests[0]?.url).toBe(`/clusters/one${path}`);
  });

  test('with a length or in chunks, as it came; without a body, as a request without one', async () => {
    await start({ answer: async (incoming, response) => response.end(await textOf(incoming)) });
    expect((await ask('/', { method: 'PUT', headers: { 'content-length': 3 } }, 'abc')).text).toBe('abc');
    expect(
      (await ask('/', { method: 'DELETE', headers: { 'transfer-encoding': 'chunked' } }, 'xyz')).text,
    ).toBe('xyz');
    await ask('/', { method: 'POST', headers: { 'content-length': 0 } });
    await ask('/', { method: 'DELETE' });
    const framing = upstream.requests.map(({ headers }) => [
      headers['content-length'],
      headers['transfer-encoding'],
    ]);
    expect(framing).toEqual([
      ['3', undefined],
      [undefined, 'chunked'],
      ['0', undefined],
      [undefined, undefined],
    ]);
  });

  test('in both directions as it comes: nobody waits for the end of a body', async () => {
    await start({
      answer(incoming, response) {
        response.flushHeaders();
        incoming.on('data', (part) => response.write(`got ${part}`));
        incoming.on('end', () => response.end('done'));
      },
    });
    const { outgoing, answer } = open('/', { method: 'POST' });
    outgoing.write('one');
    const response = await answer;
    expect(await next(response)).toBe('got one');
    outgoing.write('two');
    expect(await next(response)).toBe('got two');
    outgoing.end();
    expect(await textOf(response)).toBe('done');
  });

  test('that wants to hear “continue” before it sends its body', async () => {
    await start({ answer: async (incoming, response) => response.end(await textOf(incoming)) });
    const { outgoing, answer } = open('/', {
      method: 'POST',
      headers: { expect: '100-continue', 'content-length': 4 },
    });
    outgoing.flushHeaders();
    await once(outgoing, 'continue');
    outgoing.end('body');
    expect(await textOf(await answer)).toBe('body');
    expect(upstream.requests[0]?.headers.expect).toBeUndefined();
  });
});

describe('an answer passes', () => {
  test('with its code, headers and encoded body untouched; what is of the connection stays', async () => {
    await start({
      answer(_, response) {
        response.writeHead(418, 'Short And Stout', [
          ...[
            'Warning',
            '299 - "one"',
            'Warning',
            '299 - "two"',
            'Content-Encoding',
            'gzip',
            'Content-Length',
            '3',
          ],
          ...['Keep-Alive', 'timeout=9', 'Connection', 'keep-alive, X-Hop', 'X-Hop', '1', 'Audit-Id', 'abc'],
          ...['Access-Control-Allow-Origin', '*', 'Date', 'Thu, 01 Jan 1970 00:00:00 GMT'],
        ]);
        response.end('zip');
      },
    });
    const { response, text } = await ask('/');
    expect([response.statusCode, response.statusMessage, text]).toEqual([418, 'Short And Stout', 'zip']);
    const { rawHeaders } = response;
    expect(rawHeaders).toEqual([
      ...[
        'Warning',
        '299 - "one"',
        'Warning',
        '299 - "two"',
        'Content-Encoding',
        'gzip',
        'Content-Length',
        '3',
      ],
      ...['Audit-Id', 'abc', 'Date', 'Thu, 01 Jan 1970 00:00:00 GMT', 'Connection', 'keep-alive'],
    ]);
  });

  test('to HEAD, with the length and no body, and the connection goes on', async () => {
    await start({ answer: (_, response) => void response.setHeader('content-length', 9).end() });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { response } = await ask('/', { method: 'HEAD', agent });
    expect(response.headers['content-length']).toBe('9');
    expect((await ask('/', { method: 'HEAD', agent })).response.statusCode).toBe(200);
    agent.destroy();
  });

  test('no faster than the client takes it', async () => {
    let taken = 0;
    await start({
      answer(_, response) {
        const chunk = Buffer.alloc(64 * 1024);
        const more = () => {
          while (!response.destroyed && taken < 1e9) {
            taken += chunk.length;
            if (!response.write(chunk)) return void response.once('drain', more);
          }
        };
        more();
      },
    });
    const { outgoing, answer } = open('/');
    outgoing.end();
    const response = await answer;
    response.pause();
    let before = -1;
    // Two equal readings mean that all buffers between the server and the client are full.
    await vi.waitFor(
      () => {
        const same = taken > 0 && taken === before;
        before = taken;
        expect(same).toBe(true);
      },
      { interval: 200, timeout: 8000 },
    );
    expect(taken).toBeLessThan(64 * 1024 * 1024);
    outgoing.destroy();
  });

  test('that comes before the request is whole, and the rest of the request is no new one', async () => {
    await start({
      answer: (_, response) => void response.writeHead(413, { connection: 'close' }).end('too large'),
    });
    const { outgoing, answer } = open('/', { method: 'POST' });
    outgoing.on('error', () => {});
    outgoing.write('GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n');
    const response = await answer;
    expect([response.statusCode, await textOf(response)]).toEqual([413, 'too large']);
    expect(response.headers.connection).toBe('close');
    expect(upstream.requests).toHaveLength(1);
    outgoing.destroy();
  });
});

describe('when one side goes away', () => {
  test('a client that leaves ends its request upstream', async () => {
    const { promise: left, resolve } = Promise.withResolvers<void>();
    await start({
      answer(_, response) {
        response.write('begun');
        response.once('close', resolve);
      },
    });
    const { outgoing, answer } = open('/api/v1/pods?watch=true');
    outgoing.end();
    await next(await answer);
    outgoing.destroy();
    await left;
  });

  test('a client that leaves in the middle of its body has sent no whole request', async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    await start({
      answer(incoming) {
        incoming.on('error', () => {}).resume();
        incoming.once('close', () => resolve(incoming.complete));
      },
    });
    const { outgoing } = open('/', { method: 'POST' });
    outgoing.on('error', () => {});
    outgoing.write('half');
    await vi.waitFor(() => expect(upstream.requests).toHaveLength(1));
    outgoing.destroy();
    expect(await promise).toBe(false);
  });

  test('an answer that breaks off is not taken for a whole one', async () => {
    await start({
      answer(_, response) {
        response.write('{"type":"ADDED"');
        setImmediate(() => response.destroy());
      },
    });
    const { outgoing, answer } = open('/api/v1/pods?watch=true');
    outgoing.end();
    await expect(textOf(await answer)).rejects.toThrow('aborted');
  });

  const status = async (options: RequestOptions = {}, body?: string) => {
    const { response, text } = await ask('/', options, body);
    return { code: response.statusCode, retry: response.headers['retry-after'], status: JSON.parse(text) };
  };

  test('a server that is not there is a 503 that says nothing was changed', async () => {
    await start({});
    await upstream.stopUpstream();
    const { code, retry, status: body } = await status({ method: 'POST' }, '{}');
    expect([code, retry]).toEqual([503, '1']);
    expect(body).toMatchObject({ kind: 'Status', reason: 'ServiceUnavailable', code: 503 });
    expect(body.message).toContain('Nothing was changed');
  });

  test('a server that is back is served without a restart', async () => {
    await start({});
    await ask('/');
    await upstream.stopUpstream();
    await ask('/');
    await upstream.startUpstream();
    expect((await ask('/')).response.statusCode).toBe(200);
  });

  test('a server that does not answer is a 504, and the request there is ended', async () => {
    const { promise: left, resolve } = Promise.withResolvers<void>();
    await start({ answer: (_, response) => void response.once('close', resolve) }, { answerTimeoutMs: 50 });
    expect(await status()).toMatchObject({ code: 504, status: { kind: 'Status', reason: 'Timeout' } });
    await left;
  });

  test('the time for an answer is over when it has begun, even before the request was whole', async () => {
    const clock = new ManualClock();
    const { promise: whole, resolve } = Promise.withResolvers<ServerResponse>();
    await start(
      {
        answer(incoming, response) {
          response.write('early');
          incoming.resume().once('end', () => resolve(response));
        },
      },
      { clock, answerTimeoutMs: 1000 },
    );
    const { outgoing, answer } = open('/', { method: 'POST' });
    outgoing.write('half');
    const received = await answer;
    expect(await next(received)).toBe('early');
    outgoing.end('whole');
    const response = await whole;
    await clock.advance(2000);
    response.end(' and late');
    expect(await textOf(received)).toBe(' and late');
  });

  test('a write whose answer is lost is never repeated, and its author told to look', async () => {
    let isFirst = true;
    await start({
      answer(incoming, response) {
        if (isFirst) response.end('ok');
        else incoming.resume().once('end', () => response.destroy());
        isFirst = false;
      },
    });
    await ask('/');
    const { code, status: body } = await status({ method: 'PATCH' }, '{}');
    expect([code, body.message]).toEqual([503, expect.stringContaining('may have taken effect')]);
    expect(upstream.requests.map(({ method }) => method)).toEqual(['GET', 'PATCH']);
  });

  test('a read that met a connection which had just ended is made again', async () => {
    let count = 0;
    await start({
      answer(_, response) {
        count += 1;
        if (count === 2) response.destroy();
        else response.end(`answer ${count}`);
      },
    });
    await ask('/');
    expect((await ask('/')).text).toBe('answer 3');
  });
});

describe('a body that passes has to keep coming', () => {
  const load = {
    ...{ maxConnections: 100, maxConnectionsPerAddress: 100, maxUnusedConnections: 100 },
    ...{ maxRequestsInFlight: 100, maxStreams: 100 },
  };
  const inFlight = async () =>
    /^trimtab_gateway_requests_in_flight (\d+)/m.exec(await upstream.gateway.metrics())?.[1];

  /** Sends the head of a request and the beginning of its body. */
  async function begin(clock: ManualClock, path: string, answer: (incoming: IncomingMessage) => void) {
    await start({ answer }, { clock, load });
    const opened = open(path, { method: 'POST' });
    opened.outgoing.on('error', () => {});
    opened.outgoing.write('x'.repeat(100_000));
    await vi.waitFor(() => expect(upstream.requests).toHaveLength(1));
    return opened;
  }

  test('one that stops gets a 408 after 10 s, and its place is free', async () => {
    const clock = new ManualClock();
    let received = 0;
    const { outgoing, answer } = await begin(clock, '/api/v1/namespaces', (incoming) => {
      incoming
        .on('error', () => {})
        .on('data', (chunk) => {
          received += chunk.length;
        });
    });
    await vi.waitFor(() => expect(received).toBe(100_000));
    await clock.advance(9_999);
    expect(await inFlight()).toBe('1');
    await clock.advance(1);
    const response = await answer;
    expect([response.statusCode, response.headers.connection]).toEqual([408, 'close']);
    outgoing.destroy();
    expect(JSON.parse(await textOf(response))).toMatchObject({ reason: 'RequestTimeout', code: 408 });
    await vi.waitFor(async () => expect(await inFlight()).toBe('0'));
    await vi.waitFor(() => expect(upstream.requests[0]?.destroyed).toBe(true));
    expect(upstream.requests[0]?.complete).toBe(false);
  });

  test('one that stops after the answer has begun ends the connection', async () => {
    const clock = new ManualClock();
    await start(
      {
        answer(incoming, response) {
          incoming.on('error', () => {}).resume();
          response.write('early');
        },
      },
      { clock, load },
    );
    const { outgoing, answer } = open('/', { method: 'POST' });
    outgoing.on('error', () => {});
    outgoing.write('half');
    const response = await answer;
    expect(await next(response)).toBe('early');
    await clock.advance(10_000);
    await expect(textOf(response)).rejects.toThrow('aborted');
    await vi.waitFor(async () => expect(await inFlight()).toBe('0'));
    expect(await upstream.gateway.metrics()).not.toContain('code="broken-off"');
  });

  test('one that an application reads for as long as it likes has no limit', async () => {
    const clock = new ManualClock();
    const { outgoing } = await begin(clock, '/api/v1/namespaces/a/services/b/proxy/', (incoming) => {
      incoming.on('error', () => {}).resume();
    });
    await clock.advance(60_000);
    expect(outgoing.destroyed).toBe(false);
    outgoing.destroy();
  });

  test('one that the API server does not read is not too slow', async () => {
    const clock = new ManualClock();
    let received = 0;
    const { promise: incoming, resolve } = Promise.withResolvers<IncomingMessage>();
    await start(
      {
        answer(request, response) {
          resolve(request.pause());
          request.once('end', () => response.end('done'));
        },
      },
      { clock, load },
    );
    const { outgoing, answer } = open('/', { method: 'POST' });
    // More than the buffers of both connections hold.
    outgoing.end(Buffer.alloc(64 * 1024 * 1024));
    const request = await incoming;
    let before = -1;
    await vi.waitFor(
      () => {
        const same = outgoing.socket?.bytesWritten === before;
        before = outgoing.socket?.bytesWritten ?? 0;
        expect(same).toBe(true);
      },
      { interval: 200, timeout: 8000 },
    );
    await clock.advance(60_000);
    request
      .on('data', (chunk) => {
        received += chunk.length;
      })
      .resume();
    expect(await textOf(await answer)).toBe('done');
    expect(received).toBe(64 * 1024 * 1024);
  });
});

describe('when the gateway stops', () => {
  test('a watch ends after a whole event, as one does whose time is up; other answers are finished', async () => {
    const responses: ServerResponse[] = [];
    await start({
      answer(incoming, response) {
        responses.push(response);
        response.setHeader('content-type', 'application/json');
        response.write(incoming.url?.includes('watch') ? '{"type":"ADDED"}\n{"type":' : '[');
      },
    });
    const watch = open('/api/v1/pods?watch=true');
    watch.outgoing.end();
    const watching = await watch.answer;
    await next(watching);
    const list = open('/');
    list.outgoing.end();
    const listing = await list.answer;
    await next(listing);
    const closed = upstream.gateway.close(10_000);
    // A gateway in another process receives the signal later. It ends watches before it stops to listen.
    await vi.waitFor(() => expect(upstream.connect()).rejects.toThrow('ECONNREFUSED'));
    responses[0]?.write('"MODIFIED"}\n{"type":"DEL');
    expect(await textOf(watching)).toBe('"MODIFIED"}\n');
    responses[1]?.end(']');
    expect(await textOf(listing)).toBe(']');
    await closed;
  });
});
