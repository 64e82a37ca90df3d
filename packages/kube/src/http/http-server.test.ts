import { once } from 'node:events';
import { Agent, type IncomingMessage, type RequestOptions, request, type ServerResponse } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { TLSSocket, connect as tlsConnect } from 'node:tls';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { silentLogger } from '../log/silent-logger.ts';
import { createAuthority, issue } from '../tls/authority.ts';
import { createMaterial } from '../tls/material.ts';
import { type HttpServer, type HttpServerOptions, startHttpServer } from './http-server.ts';

const running: HttpServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close(0);
});

async function serve(options: Partial<HttpServerOptions> = {}): Promise<HttpServer> {
  const server = await startHttpServer({
    ...{ name: 'test', host: '127.0.0.1', port: 0, log: silentLogger },
    handler: (_, response) => void response.end('hello'),
    ...options,
  });
  running.push(server);
  return server;
}

function get(url: string, options: RequestOptions & { ca?: string } = {}) {
  return new Promise<{ status: number | undefined; text: string; headers: IncomingMessage['headers'] }>(
    (resolve, reject) => {
      const ask = url.startsWith('https:') ? tlsRequest : request;
      const outgoing = ask(url, options, (response) => {
        let text = '';
        response.on('data', (part) => {
          text += part;
        });
        response.on('end', () => resolve({ status: response.statusCode, text, headers: response.headers }));
        response.on('error', reject);
      });
      outgoing.on('error', reject);
      outgoing.end();
    },
  );
}

/** Resolves when the socket closes, with or without an error. */
function ended(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

async function connected(server: HttpServer): Promise<Socket> {
  const socket = connect(server.port, server.host);
  await once(socket, 'connect');
  // Most of these tests expect the server to close the connection.
  socket.on('error', () => {});
  return socket;
}

describe('a server is started', () => {
  test('and answers', async () => {
    const server = await serve();
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(await get(server.url)).toMatchObject({ status: 200, text: 'hello' });
  });

  test('on a port that another one has: the error says so and what to do', async () => {
    const { port } = await serve();
    await expect(serve({ port })).rejects.toMatchObject({
      code: 'ServerFailed',
      message: `test: cannot listen on 127.0.0.1, port ${port}: another process uses the port. Stop that process, or choose another port.`,
    });
    await expect(serve({ host: '192.0.2.1' })).rejects.toThrow('the address does not belong to this machine');
  });

  test('a handler that fails is a 500 without the reason', async () => {
    const server = await serve({ handler: () => Promise.reject(new Error('secret reason')) });
    expect(await get(server.url)).toMatchObject({ status: 500, text: 'internal error\n' });
  });

  test('headers that are too long are refused', async () => {
    const server = await serve({ maxHeaderBytes: 2048 });
    expect(await get(server.url, { headers: { 'x-long': 'x'.repeat(3000) } })).toMatchObject({ status: 431 });
  });
});

describe('bytes that are no request', () => {
  const json: HttpServerOptions['describeError'] = ({ code, message }) => ({
    contentType: 'application/json',
    text: JSON.stringify({ code, message }),
  });
  const invalid = (code: string) => ({ code: 400, message: `the request is not valid HTTP/1.1 (${code})` });
  const tlsHello = '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03';

  async function raw(server: HttpServer, bytes: string): Promise<string> {
    const socket = await connected(server);
    let text = '';
    socket.setEncoding('latin1').on('data', (part) => {
      text += part;
    });
    const closed = ended(socket);
    socket.write(Buffer.from(bytes, 'latin1'));
    await closed;
    return text;
  }

  test.each<[what: string, bytes: string, { code: number; message: string }]>([
    [
      'headers without end',
      `GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(3000)}`,
      {
        code: 431,
        message: 'the request has too many headers, or its request line and headers exceed 2048 bytes',
      },
    ],
    ['an unknown method', 'GIVE / HTTP/1.1\r\nhost: x\r\n\r\n', invalid('HPE_INVALID_METHOD')],
    ['TLS', tlsHello, invalid('HPE_INVALID_METHOD')],
    [
      'a length that is none',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: +1\r\n\r\n',
      invalid('HPE_INVALID_CONTENT_LENGTH'),
    ],
    [
      'a chunk without a length',
      'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
      invalid('HPE_INVALID_CHUNK_SIZE'),
    ],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', { code: 400, message: 'the request has no Host header' }],
    [
      'a tunnel',
      'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n',
      {
        code: 405,
        message: 'the method CONNECT is not supported: this server is not a proxy for other servers',
      },
    ],
    [
      'no host, and another protocol',
      'GET / HTTP/1.1\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n',
      { code: 400, message: 'the request has no Host header' },
    ],
    [
      'an expectation',
      'GET / HTTP/1.1\r\nhost: x\r\nexpect: more\r\n\r\n',
      { code: 417, message: 'the only supported value of the Expect header is 100-continue' },
    ],
  ])('%s: the response says so as the server wants, and ends the connection', async (_, bytes, expected) => {
    const server = await serve({
      describeError: json,
      maxHeaderBytes: 2048,
      upgrade: { wanted: () => true, handler: () => Promise.reject(new Error('not to be reached')) },
      async handler(request) {
        // Reads a body that is never complete.
        for await (const _ of request);
      },
    });
    const [head = '', text = ''] = (await raw(server, bytes)).split('\r\n\r\n');
    expect(JSON.parse(text)).toEqual(expected);
    const lines = head.toLowerCase().split('\r\n');
    expect(lines[0]).toMatch(new RegExp(`^http/1.1 ${expected.code} [a-z]`));
    for (const line of [
      'connection: close',
      'content-type: application/json',
      `content-length: ${text.length}`,
    ])
      expect(lines).toContain(line);
  });

  test('are reported with what is wrong, once for each response', async () => {
    const reported: number[] = [];
    const server = await serve({ onProtocolError: ({ code }) => void reported.push(code) });
    await raw(server, 'GIVE / HTTP/1.1\r\n\r\nGIVE / HTTP/1.1\r\n\r\n');
    await raw(server, 'GET / HTTP/1.1\r\n\r\n');
    await raw(server, 'GET / HTTP/1.1\r\nhost: x\r\nexpect: more\r\n\r\n');
    await raw(server, `GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(70_000)}`);
    await raw(server, 'CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(reported).toEqual([400, 400, 417, 431, 405]);
  });

  test('are answered in plain text by default', async () => {
    const server = await serve();
    expect(await raw(server, 'GIVE / HTTP/1.1\r\n\r\n')).toMatch(
      /^HTTP\/1.1 400 Bad Request\r\n[\s\S]*\r\n\r\nthe request is not valid HTTP\/1.1 \(HPE_INVALID_METHOD\)\n$/,
    );
  });

  test('get no response that a client would take for that to its earlier request', async () => {
    const server = await serve({ describeError: json, handler: () => {} });
    for (const next of ['GIVE / HTTP/1.1\r\n\r\n', 'CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n'])
      expect(await raw(server, `GET / HTTP/1.1\r\nhost: x\r\n\r\n${next}`)).toBe('');
  });

  test('do not keep the connection of a client that goes on', async () => {
    const clock = new ManualClock();
    const server = await serve({ clock });
    const socket = connect({ port: server.port, host: server.host, allowHalfOpen: true });
    socket
      .on('error', () => {})
      .resume()
      .write('GIVE / HTTP/1.1\r\n\r\n');
    await once(socket, 'end');
    socket.write('and more'.repeat(1000));
    await clock.advance(5_000);
    await vi.waitFor(() => expect(clock.pending).toBe(0));
    socket.destroy();
  });
});

describe('slow clients', () => {
  test('no idle time but ours ends a connection that a client may use again', async () => {
    let accepted: Socket | undefined;
    const server = await serve({
      handler: (request, response) => {
        accepted = request.socket;
        response.end('hello');
      },
    });
    const agent = new Agent({ keepAlive: true });
    const { headers } = await get(server.url, { agent });
    expect(headers['keep-alive']).toBeUndefined();
    expect(accepted?.timeout ?? 0).toBe(0);
    agent.destroy();
  });

  test('a connection without a request is ended after the idle time', async () => {
    const clock = new ManualClock();
    const server = await serve({ clock, idleTimeoutMs: 5000 });
    const socket = await connected(server);
    socket.write('GET / HT');
    await vi.waitFor(() => expect(clock.pending).toBe(1));
    const cutOff = ended(socket);
    await clock.advance(5000);
    await cutOff;
  });

  test('a head that never ends is ended long before an idle connection', async () => {
    const clock = new ManualClock();
    const server = await serve({ clock, idleTimeoutMs: 1e9 });
    const idle = await connected(server);
    const slow = await connected(server);
    slow.write('GET / HT');
    await vi.waitFor(async () => {
      await clock.advance(10_000);
      expect(slow.closed).toBe(true);
    });
    expect(idle.closed).toBe(false);
    idle.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(idle, 'data');
    idle.destroy();
  });

  test('a head that never ends is ended, also after a request on its connection', async () => {
    const clock = new ManualClock();
    const server = await serve({ clock, idleTimeoutMs: 1e9 });
    const socket = await connected(server);
    let text = '';
    socket.on('data', (part) => {
      text += part;
    });
    const request = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
    socket.write(request);
    await vi.waitFor(() => expect(text.match(/hello/g)).toHaveLength(1));
    // A head that ends in time is served.
    socket.write('G');
    socket.write(request.slice(1));
    await vi.waitFor(() => expect(text.match(/hello/g)).toHaveLength(2));
    await vi.waitFor(async () => {
      socket.write('G');
      await clock.advance(10_000);
      expect(socket.closed).toBe(true);
    });
    expect(clock.pending).toBe(0);
  });

  test('a connection without a request in progress is kept for the idle time', async () => {
    const clock = new ManualClock();
    const server = await serve({ clock });
    const socket = await connected(server);
    const request = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
    for (let time = 0; time < 3; time++) {
      socket.write(request);
      await once(socket, 'data');
      await vi.waitFor(() => expect(clock.pending).toBe(1));
      await clock.advance(119_000);
    }
    const cutOff = ended(socket);
    await clock.advance(1_000);
    await cutOff;
  });

  test('a body that never ends is ended, a response may go on', async () => {
    const clock = new ManualClock();
    const server = await serve({
      ...{ clock, requestTimeoutMs: 5000 },
      handler: (_, response) => void response.write('begun'),
    });
    const stalled = await connected(server);
    stalled.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc');
    const watching = await connected(server);
    watching.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await Promise.all([once(stalled, 'data'), once(watching, 'data')]);
    const cutOff = ended(stalled);
    await clock.advance(5000);
    await cutOff;
    expect(watching.closed).toBe(false);
    watching.destroy();
  });

  test('a body that never ends is ended, also behind an earlier request on its connection', async () => {
    const clock = new ManualClock();
    const responses: ServerResponse[] = [];
    const server = await serve({
      ...{ clock, requestTimeoutMs: 5000 },
      handler: (_, response) => void responses.push(response),
    });
    const socket = await connected(server);
    socket.resume().write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc');
    await vi.waitFor(() => expect(responses).toHaveLength(2));
    const [first] = responses;
    const firstClosed = once(first ?? socket, 'close');
    first?.end('hello');
    await firstClosed;
    const cutOff = ended(socket);
    await clock.advance(5000);
    await cutOff;
    expect(clock.pending).toBe(0);
  });

  test('a connection is ended after the idle time, also after several requests at once', async () => {
    const clock = new ManualClock();
    const server = await serve({
      ...{ clock, idleTimeoutMs: 5000 },
      handler: (_, response) => void response.end('hello'),
    });
    const socket = await connected(server);
    let text = '';
    socket.on('data', (part) => {
      text += part;
    });
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(3));
    await vi.waitFor(() => expect(text.match(/hello/g)).toHaveLength(3));
    await vi.waitFor(() => expect(clock.pending).toBe(1));
    const cutOff = ended(socket);
    await clock.advance(5000);
    await cutOff;
    expect(clock.pending).toBe(0);
  });
});

describe('connections that have sent no request', () => {
  const request = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

  test('are limited per address: the oldest is closed, and those with a request stay', async () => {
    const refused: string[] = [];
    const server = await serve({
      connectionLimits: {
        ...{ maxConnections: 100, maxConnectionsPerAddress: 100, maxUnusedConnections: 8 },
        onRefused: (limit) => void refused.push(limit),
      },
    });
    const used: Socket[] = [];
    for (let time = 0; time < 3; time++) {
      const socket = await connected(server);
      used.push(socket);
      socket.write(request);
      await once(socket, 'data');
    }
    const [oldest, second] = [await connected(server), await connected(server)];
    expect(refused).toEqual([]);
    const closed = ended(oldest);
    const newest = await connected(server);
    await closed;
    expect(refused).toEqual(['unused']);
    for (const socket of [...used, second, newest]) {
      socket.write(request);
      await once(socket, 'data');
      expect(socket.closed).toBe(false);
    }
    for (const socket of [...used, second, newest]) socket.destroy();
  });

  test('are counted until they close or are upgraded', async () => {
    const refused: string[] = [];
    const server = await serve({
      upgrade: { wanted: () => true, handler: async (_, socket) => void socket.write('agreed') },
      connectionLimits: {
        ...{ maxConnections: 100, maxConnectionsPerAddress: 100, maxUnusedConnections: 4 },
        onRefused: (limit) => void refused.push(limit),
      },
    });
    for (let time = 0; time < 3; time++) {
      const socket = await connected(server);
      socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: any\r\n\r\n');
      await once(socket, 'data');
    }
    expect(refused).toEqual([]);
  });
});

describe('a server is closed', () => {
  test('idle connections end at once, a request in progress gets its answer first', async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<ServerResponse>();
    const server = await serve({
      handler(incoming, response) {
        if (incoming.url === '/slow') begin(response);
        else response.end('fast');
      },
    });
    const agent = new Agent({ keepAlive: true });
    await get(`${server.url}/fast`, { agent });
    const idle = await connected(server);
    const slow = get(`${server.url}/slow`, { agent });
    const response = await begun;
    const idleEnded = ended(idle);
    const closed = server.close(60_000);
    await idleEnded;
    await expect(get(server.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    response.end('slow');
    expect(await slow).toMatchObject({ text: 'slow', headers: { connection: 'close' } });
    await closed;
    agent.destroy();
  });

  test('what has not finished within the grace time is cut off', async () => {
    const clock = new ManualClock();
    const server = await serve({ clock, handler: (_, response) => void response.write('begun') });
    const socket = await connected(server);
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(socket, 'data');
    const closed = server.close(3000);
    await clock.advance(2999);
    expect(socket.closed).toBe(false);
    const cutOff = ended(socket);
    await clock.advance(1);
    await Promise.all([closed, cutOff]);
    expect(clock.pending).toBe(0);
  });
});

describe('over TLS', () => {
  const now = Date.now();
  const authority = createAuthority({ commonName: 'ca', now, validForMs: 3_600_000 });
  const leaf = (commonName: string, usage: 'server' | 'client' = 'server') =>
    issue(authority, {
      ...{ commonName, dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] },
      ...{ usages: [usage], now, validForMs: 3_600_000 },
    });
  const shown = async (server: HttpServer, servername?: string) => {
    const socket = tlsConnect({
      ...{ port: server.port, host: server.host, ca: authority.certificate },
      ...(servername === undefined ? {} : { servername }),
    });
    await once(socket, 'secureConnect');
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return CN;
  };

  test('a new certificate is shown to new connections, with and without SNI; open ones live on', async () => {
    const material = createMaterial(leaf('one'));
    const server = await serve({ tls: { material } });
    const agent = new TlsAgent({ keepAlive: true, ca: authority.certificate });
    await get(server.url, { agent });
    expect(await shown(server)).toBe('one');
    material.replace(leaf('two'));
    expect(await shown(server)).toBe('two');
    expect(await shown(server, 'localhost')).toBe('two');
    expect(await get(server.url, { agent })).toMatchObject({ text: 'hello' });
    agent.destroy();
  });

  test.each([
    ['TLS 1.3', { minVersion: 'TLSv1.3' as const }, 'TLSv1.3'],
    ['AES-GCM', { maxVersion: 'TLSv1.2' as const, ciphers: 'ECDHE+AESGCM' }, 'TLSv1.2'],
    ['ChaCha20', { maxVersion: 'TLSv1.2' as const, ciphers: 'ECDHE+CHACHA20' }, 'TLSv1.2'],
    [
      'CBC',
      { maxVersion: 'TLSv1.2' as const, ciphers: 'ECDHE+AES+SHA1:ECDHE+AES+SHA256:AES+SHA1' },
      undefined,
    ],
    ['RSA key exchange', { maxVersion: 'TLSv1.2' as const, ciphers: 'kRSA' }, undefined],
  ])(
    'a client that speaks %s alone, before and after a change of the certificate',
    async (_, offer, expected) => {
      const material = createMaterial(leaf('one'));
      const server = await serve({ tls: { material } });
      const handshake = () =>
        new Promise<string | undefined>((resolve) => {
          const options = { port: server.port, host: server.host, ca: authority.certificate, ...offer };
          const socket = tlsConnect(options, () => {
            resolve(socket.getProtocol() ?? undefined);
            socket.destroy();
          }).on('error', () => resolve(undefined));
        });
      expect(await handshake()).toBe(expected);
      material.replace(leaf('two'));
      expect(await handshake()).toBe(expected);
    },
  );

  test('a surplus connection is closed before its handshake', async () => {
    const refused: string[] = [];
    const server = await serve({
      tls: { material: createMaterial(leaf('one')) },
      connectionLimits: {
        ...{ maxConnections: 3, maxConnectionsPerAddress: 2 },
        onRefused: (limit) => void refused.push(limit),
      },
    });
    const open = [await connected(server), await connected(server)];
    const surplus = await connected(server);
    await ended(surplus);
    expect(refused).toEqual(['address']);
    for (const socket of open) socket.destroy();
    await vi.waitFor(async () => expect(await shown(server)).toBe('one'));
  });

  test('a client that never finishes its handshake loses its connection', async () => {
    const server = await serve({ tls: { material: createMaterial(leaf('one')) }, handshakeTimeoutMs: 20 });
    await ended(await connected(server));
  });

  test('clients show who they are, and must where it is required', async () => {
    const server = await serve({
      tls: {
        material: createMaterial({ ...leaf('server'), clientAuthority: authority.certificate }),
        clientCertificates: 'required',
      },
      handler(incoming, response) {
        const { socket } = incoming;
        response.end(socket instanceof TLSSocket ? socket.getPeerCertificate().subject.CN : 'nobody');
      },
    });
    const client = leaf('client', 'client');
    const identity = { ca: authority.certificate, cert: client.certificate, key: client.key };
    expect(await get(server.url, identity)).toMatchObject({ text: 'client' });
    await expect(get(server.url, { ca: authority.certificate })).rejects.toThrow();
  });
});

describe('another protocol', () => {
  const upgrade: HttpServerOptions['upgrade'] = {
    wanted: ({ headers }) => headers.upgrade === 'echo',
    async handler(_, socket, head) {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n');
      socket.write(head);
      socket.pipe(socket);
    },
  };
  const ask = (protocol: string) =>
    `GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: ${protocol}\r\n\r\n`;

  async function upgraded(server: HttpServer): Promise<Socket> {
    const socket = await connected(server);
    socket.setEncoding('utf8').write(`${ask('echo')}early`);
    let text = '';
    while (!text.includes('early')) text += (await once(socket, 'data'))[0];
    expect(text).toMatch(/^HTTP\/1.1 101 /);
    return socket;
  }

  test('gets the connection, with what was sent along; no idle time ends it', async () => {
    const clock = new ManualClock();
    const server = await serve({ upgrade, clock, idleTimeoutMs: 5000 });
    const socket = await upgraded(server);
    expect(clock.pending).toBe(0);
    socket.write('hello');
    expect((await once(socket, 'data'))[0]).toBe('hello');
    socket.destroy();
  });

  test('that the server does not want is an ordinary request', async () => {
    const server = await serve({ upgrade });
    const socket = await connected(server);
    socket.setEncoding('utf8').write(ask('h2c'));
    expect((await once(socket, 'data'))[0]).toMatch(/^HTTP\/1.1 200 /);
    socket.destroy();
  });

  test('may go on while the server closes, until the grace time is over', async () => {
    const clock = new ManualClock();
    const server = await serve({ upgrade, clock });
    const socket = await upgraded(server);
    const closed = server.close(3000);
    socket.write('still here');
    expect((await once(socket, 'data'))[0]).toBe('still here');
    const cutOff = ended(socket);
    await clock.advance(3000);
    await Promise.all([closed, cutOff]);
  });

  test('a handler that fails ends its connection, and nothing else', async () => {
    const failing = { wanted: () => true, handler: () => Promise.reject(new Error('oh')) };
    const server = await serve({ upgrade: failing });
    const socket = await connected(server);
    const cutOff = ended(socket);
    socket.write(ask('echo'));
    await cutOff;
    expect(await get(server.url)).toMatchObject({ text: 'hello' });
  });
});
