import { duplexPair } from 'node:stream';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { SpdyClient } from '../../../test/support/spdy-client.ts';
import { resetStatus } from './frame.ts';
import { SpdyConnection } from './spdy-connection.ts';
import type { SpdyStream } from './spdy-stream.ts';

class Client extends SpdyClient {
  readonly clock = new ManualClock();
  readonly opened: SpdyStream[] = [];
  readonly over: Promise<void>;
  readonly connection: SpdyConnection;

  constructor() {
    const [ours, theirs] = duplexPair({ highWaterMark: 16_384 });
    super(ours);
    this.connection = new SpdyConnection(theirs, {
      clock: this.clock,
      accepts: ({ refuse }) => refuse === undefined,
      opened: (stream) => this.opened.push(stream),
      maxStreams: 3,
      idleMs: 1_000,
    });
    this.over = this.connection.run();
  }

  async stream(index: number): Promise<SpdyStream> {
    return waitFor(`stream ${index}`, async () => {
      const found = this.opened[index];
      return found === undefined ? { seen: `${this.opened.length} streams` } : { met: found };
    });
  }
}

const clients: Client[] = [];
function connected(): Client {
  const client = new Client();
  clients.push(client);
  return client;
}

afterEach(async () => {
  for (const client of clients.splice(0)) {
    client.leave();
    client.connection.close();
    await client.clock.advance(1_000);
    await client.over;
    expect(client.clock.pending).toBe(0);
  }
});

const untilFull = (stream: SpdyStream) =>
  waitFor('the buffer of the stream is full', async () =>
    stream.readableLength > 250_000 ? { met: true } : { seen: `${stream.readableLength}` },
  );

describe('a SPDY connection', () => {
  it('answers a stream that is opened, and carries it both ways to its end', async () => {
    const client = connected();
    client.open(1, { streamtype: 'data' });
    const stream = await client.stream(0);
    expect(stream.headers['streamtype']).toBe('data');
    stream.pipe(stream);
    client.say(1, 'one ');
    client.say(1, 'two', true);
    await client.until('the end', (got) => got.some((each) => each.type === 'data' && each.isLast));
    expect(client.got[0]).toMatchObject({ type: 'reply', stream: 1 });
    expect(client.said(1)).toBe('one two');
    expect(client.got.some(({ type }) => type === 'reset')).toBe(false);
  });

  it('answers pings', async () => {
    const client = connected();
    client.send({ type: 'ping', id: 9 });
    await client.until('an answer', (got) => got.some((each) => each.type === 'ping' && each.id === 9));
  });

  it('resets a stream that makes no sense, one too many, and one whose number was used', async () => {
    const client = connected();
    client.open(1, { refuse: 'yes' });
    for (const id of [3, 5, 7, 9, 9]) client.open(id);
    await client.until('three resets', (got) => got.filter(({ type }) => type === 'reset').length === 3);
    expect(client.got.filter(({ type }) => type === 'reset')).toEqual([
      { type: 'reset', stream: 1, status: resetStatus.cancel },
      { type: 'reset', stream: 9, status: resetStatus.refused },
      { type: 'reset', stream: 9, status: resetStatus.protocolError },
    ]);
  });

  it('has room for a new stream when one is over', async () => {
    const client = connected();
    for (const id of [1, 3, 5]) client.open(id);
    (await client.stream(2)).destroy();
    client.open(7);
    expect((await client.stream(3)).id).toBe(7);
  });

  it('makes the client wait when nobody reads a stream, and goes on when somebody does', async () => {
    const client = connected();
    client.open(1);
    const stream = await client.stream(0);
    for (let parts = 0; parts < 200; parts++) client.say(1, 'x'.repeat(16_384));
    client.send({ type: 'ping', id: 11 });
    await untilFull(stream);
    for (let turns = 0; turns < 100; turns++) await new Promise((resolve) => setImmediate(resolve));
    // The client has sent 3.2 MB.
    expect(stream.readableLength).toBeLessThan(400_000);
    expect(client.got.some(({ type }) => type === 'ping')).toBe(false);
    stream.resume();
    await client.until('the ping behind it', (got) => got.some(({ type }) => type === 'ping'));
  });

  it('ends all streams when the client goes, also while one waits for its reader', async () => {
    const client = connected();
    client.open(1);
    const stream = await client.stream(0);
    for (let parts = 0; parts < 100; parts++) client.say(1, 'x'.repeat(16_384));
    await untilFull(stream);
    client.leave();
    client.connection.close();
    await client.clock.advance(1_000);
    await client.over;
    expect(stream.destroyed).toBe(true);
  });

  it('ends a stream that the client resets, and tells when one is reset here', async () => {
    const client = connected();
    client.open(1);
    client.open(3);
    const [first, second] = [await client.stream(0), await client.stream(1)];
    client.send({ type: 'reset', stream: 1, status: resetStatus.cancel });
    await waitFor('the end of the stream', async () =>
      first.destroyed ? { met: true } : { seen: 'it is open' },
    );
    second.destroy();
    await client.until('a reset', (got) => got.some(({ type }) => type === 'reset'));
    expect(client.got.filter(({ type }) => type === 'reset')).toEqual([
      { type: 'reset', stream: 3, status: resetStatus.cancel },
    ]);
  });

  it('says goodbye', async () => {
    const client = connected();
    client.open(5);
    await client.stream(0);
    client.connection.close();
    await client.over;
    await client.until('the go-away frame', (got) => got.some(({ type }) => type === 'go-away'));
    expect(client.got.at(-1)).toEqual({ type: 'go-away', lastStream: 5, status: 0 });
  });

  it('ends when it hears goodbye, and when it hears another SPDY', async () => {
    const [polite, old] = [connected(), connected()];
    polite.send({ type: 'go-away', lastStream: 0, status: 0 });
    old.write(Buffer.from('8002000600000004aaaaaaaa', 'hex'));
    await Promise.all([polite.over, old.over]);
  });

  it('ends when nothing has moved for long enough, and not before', async () => {
    const client = connected();
    await client.clock.advance(900);
    client.send({ type: 'ping', id: 1 });
    await client.until('an answer', (got) => got.length === 1);
    await client.clock.advance(900);
    client.send({ type: 'ping', id: 3 });
    await client.until('a second answer', (got) => got.length === 2);
    await client.clock.advance(1_000);
    await client.over;
  });
});
