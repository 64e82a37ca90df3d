import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterEach, expect, test } from 'vitest';
import type { Target } from './targets.ts';
import { TcpBalancer } from './tcp-balancer.ts';

const host = '127.0.0.1';
const ends: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
});

async function started(server: Server): Promise<Target> {
  server.listen(0, host);
  await once(server, 'listening');
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('error', () => {});
  });
  ends.push(async () => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { host, port: (server.address() as AddressInfo).port };
}

/** A server that sends its name, then echoes its input, and ends when the client ends. */
const echo = (name: string): Promise<Target> =>
  started(
    createServer({ allowHalfOpen: true }, (socket) => {
      socket.write(name);
      socket.pipe(socket);
    }),
  );

async function deadTarget(): Promise<Target> {
  const server = createServer();
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return { host, port };
}

async function balancer(targets: Target[], candidates = [0]): Promise<TcpBalancer> {
  const made = await TcpBalancer.listen({ candidates });
  ends.push(() => made.close());
  made.setTargets(targets);
  return made;
}

/** Returns all received data until the server ends the connection, or the code of the error. */
async function said(port: number, text = ''): Promise<string> {
  const socket = connect({ host, port, allowHalfOpen: true });
  socket.end(text);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)));
  return new Promise((resolve) => {
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.on('end', () => resolve(Buffer.concat(chunks).toString()));
  });
}

test('connections go to one target after the other', async () => {
  const { port } = await balancer([await echo('a'), await echo('b'), await echo('c')]);
  const names = [];
  for (let n = 0; n < 6; n++) names.push(await said(port));
  expect(names.join('')).toBe('abcabc');
});

test('who has said all still hears the answer', async () => {
  const { port } = await balancer([await echo('a')]);
  expect(await said(port, ' and so on')).toBe('a and so on');
});

test('a megabyte goes through whole', async () => {
  const { port } = await balancer([await echo('')]);
  const text = 'x'.repeat(1 << 20);
  expect(await said(port, text)).toBe(text);
});

test('a target that does not answer is passed over', async () => {
  const { port } = await balancer([await deadTarget(), await echo('b')]);
  expect([await said(port), await said(port)]).toEqual(['b', 'b']);
});

test('without a target a connection is refused at once', async () => {
  const { port } = await balancer([]);
  expect(await said(port)).toBe('ECONNRESET');
  const dead = await balancer([await deadTarget()]);
  expect(await said(dead.port)).toBe('ECONNRESET');
});

test('new targets are for new connections, open ones stay', async () => {
  const made = await balancer([await echo('a')]);
  const open = connect({ host, port: made.port });
  await once(open, 'data');
  made.setTargets([await echo('b')]);
  expect(await said(made.port)).toBe('b');
  open.write('still here');
  const [chunk] = await once(open, 'data');
  expect(String(chunk)).toBe('still here');
  open.destroy();
});

test('a target that breaks off breaks the connection off', async () => {
  const accepted: Socket[] = [];
  const target = await started(createServer((socket) => void accepted.push(socket)));
  const { port } = await balancer([target]);
  const client = connect({ host, port });
  const closed = new Promise((resolve) => client.on('error', resolve));
  await waitFor('the connection to the target', async () =>
    accepted.length > 0 ? { met: true } : { seen: 'nothing' },
  );
  accepted[0]?.resetAndDestroy();
  expect(await closed).toMatchObject({ code: 'ECONNRESET' });
});

test('a client that breaks off is told to the target', async () => {
  const closed = Promise.withResolvers<void>();
  const target = await started(
    createServer((socket) => {
      socket.on('close', () => closed.resolve());
      socket.write('hello');
    }),
  );
  const { port } = await balancer([target]);
  const client = connect({ host, port });
  await once(client, 'data');
  client.resetAndDestroy();
  await closed.promise;
});

test('a taken port is passed over for the next', async () => {
  const first = await balancer([]);
  const second = await balancer([await echo('b')], [first.port, 0]);
  expect(second.port).not.toBe(first.port);
  expect(await said(second.port)).toBe('b');
  await expect(TcpBalancer.listen({ candidates: [first.port] })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
});

test('at its end it takes nobody, and lets who is there finish', async () => {
  const made = await TcpBalancer.listen({ candidates: [0] });
  made.setTargets([await echo('a')]);
  const open = connect({ host, port: made.port, allowHalfOpen: true });
  await once(open, 'data');
  const closed = made.close(60_000);
  expect(await said(made.port)).toBe('ECONNREFUSED');
  open.end('bye');
  const [chunk] = await once(open, 'data');
  expect(String(chunk)).toBe('bye');
  await closed;
});

test('who does not finish in time is cut off', async () => {
  const made = await TcpBalancer.listen({ candidates: [0] });
  made.setTargets([await echo('a')]);
  const open = connect({ host, port: made.port });
  open.on('error', () => {});
  await once(open, 'data');
  const gone = once(open, 'close');
  await made.close(10);
  await gone;
});
