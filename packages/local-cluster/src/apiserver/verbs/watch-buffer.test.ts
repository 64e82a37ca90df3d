import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WatchBuffer } from './watch-buffer.ts';
import { WatchMemory } from './watch-memory.ts';

/** A client with backpressure, as a connection has. */
class Client extends EventEmitter {
  taken = '';
  reads = true;
  ended = false;
  destroyed = false;

  write(line: string): boolean {
    this.taken += line;
    return this.reads;
  }

  end(): this {
    this.ended = true;
    return this;
  }

  destroy(): this {
    this.destroyed = true;
    this.emit('close');
    return this;
  }

  read(): void {
    this.emit('drain');
  }
}

const megabyte = 'x'.repeat(1024 * 1024);

function opened(memory = new WatchMemory()) {
  const client = new Client();
  return { client, buffer: new WatchBuffer(client as never, memory) };
}

test('a client that never reads is dropped, and nothing is kept for it', () => {
  const memory = new WatchMemory();
  const { client, buffer } = opened(memory);
  client.reads = false;
  let sent = 0;
  for (; !client.destroyed && sent < 100; sent++) {
    buffer.send(megabyte);
    expect(memory.bytes).toBeLessThanOrEqual(16 * megabyte.length);
  }
  expect(sent).toBe(18);
  expect([memory.bytes, buffer.waitingBytes]).toEqual([0, 0]);
});

test('what it asked for at the start may be large', () => {
  const { client, buffer } = opened();
  client.reads = false;
  buffer.sendInitial(Array.from({ length: 40 }, () => megabyte));
  expect(client.destroyed).toBe(false);
});

test('of many that do not read, those with most waiting go first, and those who read stay', () => {
  const memory = new WatchMemory(10 * megabyte.length);
  const reader = opened(memory);
  const [greedy, modest] = [opened(memory), opened(memory)];
  for (const each of [greedy, modest]) each.client.reads = false;
  for (let round = 0; round < 4; round++) {
    for (const each of [reader, greedy, modest]) each.buffer.send(megabyte);
    greedy.buffer.send(megabyte);
  }
  greedy.buffer.send(megabyte);
  expect([greedy, modest, reader].map(({ client }) => client.destroyed)).toEqual([true, false, false]);
  expect(memory.bytes).toBe(modest.buffer.waitingBytes);
});

test('whenever the client reads, it gets every line once and in order, and the count ends at nothing', () => {
  const step = fc.oneof(fc.record({ line: fc.string({ minLength: 1 }) }), fc.record({ reads: fc.boolean() }));
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const memory = new WatchMemory();
      const { client, buffer } = opened(memory);
      let sent = '';
      for (const each of steps)
        if ('line' in each) {
          buffer.send(each.line);
          sent += each.line;
        } else {
          client.reads = each.reads;
          client.read();
        }
      buffer.end();
      client.reads = true;
      client.read();
      expect([client.taken, client.ended, memory.bytes]).toEqual([sent, true, 0]);
    }),
  );
});
