import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createPodCertificate } from './pod-certificate.ts';
import { startTlsServer, type TlsServer, type TlsServerOptions } from './tls-server.ts';
import { writeResponse } from './write-response.ts';

const material = createPodCertificate([], Date.now());
const servers: TlsServer[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) await server.close(0);
});

async function serve(options: Partial<TlsServerOptions> = {}) {
  const clock = new ManualClock();
  const server = await startTlsServer({
    ...{ host: '127.0.0.1', port: 0, material, log: silentLogger, clock, isFromPod: () => true },
    handler: async (_, response) => void response.end('hello'),
    ...options,
  });
  servers.push(server);
  return { ...server, clock };
}

function track<S extends Socket>(socket: S): S {
  sockets.push(socket);
  // Most of these tests expect the server to close the connection.
  socket.on('error', () => {});
  return socket;
}

const openTcp = (port: number) => track(connect(port, '127.0.0.1')).resume();
async function openTls(port: number) {
  const socket = track(tlsConnect({ port, host: '127.0.0.1', ca: material.authority }));
  await once(socket, 'secureConnect');
  return socket;
}
const ended = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));

async function answer(port: number): Promise<string> {
  const socket = await openTls(port);
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  let text = '';
  socket.on('data', (part) => {
    text += part;
  });
  await ended(socket);
  return text;
}

describe('clients misbehave', () => {
  test('and no more than 128 connections of the pod are accepted', async () => {
    const { port, connections } = await serve();
    const open = Array.from({ length: 128 }, () => openTcp(port));
    await vi.waitFor(() => expect(connections()).toBe(128), 5_000);
    await ended(openTcp(port));
    open.pop()?.destroy();
    await vi.waitFor(() => expect(connections()).toBe(127), 5_000);
    expect(await answer(port)).toContain('hello');
  });

  test('in another pod, and the connections of this pod are left', async () => {
    let isFromPod = false;
    const { port, connections } = await serve({ isFromPod: () => isFromPod });
    for (let i = 0; i < 8; i++) openTcp(port);
    await vi.waitFor(() => expect(connections()).toBe(8), 5_000);
    await ended(openTcp(port));
    isFromPod = true;
    expect(await answer(port)).toContain('hello');
  });

  test('and do not finish their handshake', async () => {
    const { port, connections } = await serve({ handshakeTimeoutMs: 50 });
    await ended(openTcp(port));
    await vi.waitFor(() => expect(connections()).toBe(0), 5_000);
  });

  test.each(['GET / HTTP/1.1\r\n\r\n', '\0\0\0\0\0\0', '\x16\x03\x01\x00\x05hello'])(
    'and send %j instead of a handshake',
    async (bytes) => {
      const { port } = await serve();
      const socket = openTcp(port);
      socket.write(bytes);
      await ended(socket);
      expect(await answer(port)).toContain('hello');
    },
  );

  test('and send no whole request', async () => {
    const { port, clock } = await serve();
    const socket = await openTls(port);
    socket.write('GET / HTTP/1.1\r\nx: ');
    await vi.waitFor(() => expect(clock.pending).toBe(1), 5_000);
    await clock.advance(120_000);
    await ended(socket);
  });

  test('and send no whole body', async () => {
    const { port, clock } = await serve({ handler: () => new Promise<void>(() => {}) });
    const socket = await openTls(port);
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\npart');
    const closed = ended(socket);
    await vi.waitFor(async () => {
      await clock.advance(10_000);
      expect(socket.destroyed).toBe(true);
    }, 5_000);
    await closed;
  });

  test('and send garbage, or large headers', async () => {
    const { port } = await serve();
    for (const bytes of ['garbage\r\n\r\n', `GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`]) {
      const socket = await openTls(port);
      socket.resume().write(bytes);
      await ended(socket);
    }
    expect(await answer(port)).toContain('hello');
  });

  test('and do not read their response', async () => {
    let response: ServerResponse | undefined;
    const clock = new ManualClock();
    const { port } = await serve({
      clock,
      handler(_, outgoing) {
        response = outgoing;
        return writeResponse(outgoing, { status: 200, body: Buffer.alloc(50_000_000) }, clock);
      },
    });
    const socket = await openTls(port);
    socket.pause().write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await vi.waitFor(() => expect(response?.writableNeedDrain).toBe(true), 5_000);
    // The body is not copied for a client that does not read it.
    expect(response?.socket?.writableLength).toBeLessThan(1_000_000);
    await clock.advance(30_000);
    expect(response?.destroyed).toBe(true);
  });
});

describe('the server closes', () => {
  test('also while a client is in its handshake or its request', async () => {
    const { port, connections, close, clock } = await serve({ handler: () => new Promise<void>(() => {}) });
    openTcp(port);
    const socket = await openTls(port);
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await vi.waitFor(() => expect(connections()).toBe(2), 5_000);
    const closed = close(1_000);
    await clock.advance(1_000);
    await closed;
    await vi.waitFor(() => expect(connections()).toBe(0), 5_000);
  });

  test('after a handler has failed', async () => {
    const { port } = await serve({ handler: () => Promise.reject(new Error('defect')) });
    expect(await answer(port)).toBe('');
  });
});
