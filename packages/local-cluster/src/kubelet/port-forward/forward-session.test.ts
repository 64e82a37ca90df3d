import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { SpdyClient } from '../../../test/support/spdy-client.ts';
import { forwardSession } from './forward-session.ts';

const undo: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});

/** Starts a program that listens; `serve` handles its connections. */
async function program(serve: (socket: Socket) => void): Promise<{ port: number; server: Server }> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  undo.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, server };
}

/** A session with a pod whose ports are mapped to other ports, as where all pods share an address. */
function session(port: number) {
  const clock = new ManualClock();
  const end = new AbortController();
  const [ours, theirs] = duplexPair();
  const client = new SpdyClient(ours);
  const target = { uid: 'u1', addressOf: () => ({ host: '127.0.0.1', port }), ending: end.signal };
  const over = forwardSession(theirs, target, clock);
  undo.push(async () => {
    client.leave();
    end.abort();
    await clock.advance(1_000);
    await over;
    // Sockets of open connections, and their timers, close slightly later.
    await waitFor('no timer is left', async () =>
      clock.pending === 0 ? { met: true } : { seen: `${clock.pending} timers` },
    );
  });
  return { clock, client, end, over };
}

/** The two streams of a connection: the error on `id`, the data on `id + 2`. */
function connection(client: SpdyClient, id: number): void {
  const requestid = String(id);
  client.open(id, { streamtype: 'error', port: '80', requestid }, true);
  client.open(id + 2, { streamtype: 'data', port: '80', requestid });
}

describe('a forwarded connection', () => {
  it('goes both ways, and ends when both sides have', async () => {
    const { port } = await program((socket) => socket.pipe(socket));
    const { client } = session(port);
    connection(client, 1);
    client.say(3, 'hello');
    client.say(3, ' there', true);
    await client.until('the end of both', () => client.isOver(1) && client.isOver(3));
    expect([client.said(3), client.said(1)]).toEqual(['hello there', '']);
  });

  it('may be answered after the client has said all, but not for ever', async () => {
    const talking = Promise.withResolvers<Socket>();
    const { port } = await program((socket) => {
      socket.resume();
      socket.once('end', () => talking.resolve(socket));
    });
    const { client, clock } = session(port);
    connection(client, 1);
    client.say(3, 'a question', true);
    const socket = await talking.promise;
    await clock.advance(59_000);
    socket.write('an answer');
    await client.until('the answer', () => client.said(3) === 'an answer');
    await clock.advance(1_000);
    await client.until('the end of the connection', () => client.isOver(3) && client.isOver(1));
  });

  it('that the program resets ends without a word, and others go on', async () => {
    const { port } = await program((socket) => {
      socket.once('data', (part: Buffer) =>
        part.toString() === 'reset' ? socket.resetAndDestroy() : socket.end(part),
      );
    });
    const { client } = session(port);
    connection(client, 1);
    connection(client, 5);
    client.say(3, 'reset');
    await client.until('the end of the connection', () => client.isOver(1) && client.isOver(3));
    expect(client.said(1)).toBe('');
    client.say(7, 'still there');
    await client.until('an answer', () => client.said(7) === 'still there');
  });

  it('that the client resets is closed at the program', async () => {
    const closed = Promise.withResolvers<void>();
    const { port } = await program((socket) => {
      socket.resume();
      socket.once('end', () => closed.resolve());
      socket.write('x');
    });
    const { client } = session(port);
    connection(client, 1);
    await client.until('it is there', () => client.said(3) === 'x');
    client.send({ type: 'reset', stream: 3, status: 5 });
    await closed.promise;
    await client.until('the end of the error stream', () => client.isOver(1));
  });

  it('to a port where nobody listens says so', async () => {
    const { port, server } = await program(() => {});
    await new Promise((resolve) => server.close(resolve));
    const { client } = session(port);
    connection(client, 1);
    await client.until('the end of both', () => client.isOver(1) && client.isOver(3));
    expect(client.said(1)).toBe(
      `error forwarding port 80 to pod u1, uid : dial tcp4 127.0.0.1:${port}: connect: connection refused`,
    );
  });

  it('ends with the pod', async () => {
    const sockets: Socket[] = [];
    const { port } = await program((socket) => {
      socket.resume();
      sockets.push(socket);
      socket.write('x');
    });
    const { client, end, over } = session(port);
    connection(client, 1);
    await client.until('it is there', () => client.said(3) === 'x');
    end.abort();
    await over;
    await client.until('goodbye', (got) => got.some(({ type }) => type === 'go-away'));
    await waitFor('the connection of the program to end', async () =>
      sockets.every((each) => each.readableEnded || each.destroyed) ? { met: true } : { seen: 'open' },
    );
  });

  it('is one of 500 at most', async () => {
    const { port } = await program((socket) => socket.pipe(socket));
    const { client } = session(port);
    for (let number = 0; number < 501; number++) connection(client, 1 + 4 * number);
    await client.until('the last is refused', (got) => got.some(({ type }) => type === 'reset'));
    client.say(3, 'hello', true);
    await client.until('the first goes on', () => client.said(3) === 'hello');
    const refused = client.got.flatMap((each) => (each.type === 'reset' ? [each.stream] : []));
    expect(refused).toEqual([2001, 2003]);
  });
});
