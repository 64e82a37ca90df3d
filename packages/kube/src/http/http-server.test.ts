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
