import { Connection, type ServerAddress } from './connection.ts';

/** An order of the parent to a process of clients. */
export type ClientOrder =
  | { do: 'connect'; address: ServerAddress; connections: number }
  /** Sends requests for `from`, `from + 1` and so on, shared by the connections. */
  | { do: 'create' | 'get'; collection: string; from: number; count: number }
  | { do: 'list'; collection: string; times: number }
  /** Reports when all watches are open. */
  | { do: 'watch'; address: ServerAddress; collection: string; watchers: number }
  /** Reports when every watcher has received `event N`, also when it was received before this order. */
  | { do: 'expect'; event: number };

/** Times are absolute milliseconds. */
export type ClientReport =
  | { done: true }
  | { began: number; ended: number }
  | { milliseconds: number[] }
  | { received: number[] }
  | { broken: string };

const kilobyte = 'x'.repeat(1024);
const connections: Connection[] = [];
/** The last event that each watcher received, and when. */
const nextMessage: { event: number; at: number }[] = [];
let onEvent: () => void = () => {};

process.on('message', (order: ClientOrder) => {
  carryOut(order).then(report, (error: unknown) => report({ broken: String(error) }));
});

function carryOut(order: ClientOrder): Promise<ClientReport> {
  switch (order.do) {
    case 'connect':
      return open(order.address, order.connections);
    case 'create':
      return inTurns(order, (connection, n) =>
        connection.request('POST', order.collection, configMapText(n)).then(mustBe(201)),
      );
    case 'get':
      return inTurns(order, (connection, n) =>
        connection.request('GET', `${order.collection}/c-${n}`).then(mustBe(200)),
      );
    case 'list':
      return list(order.collection, order.times);
    case 'watch':
      return watch(order.address, order.collection, order.watchers);
    case 'expect':
      return expectEvent(order.event);
  }
}

async function open(address: ServerAddress, count: number): Promise<ClientReport> {
  for (let n = 0; n < count; n++) connections.push(await Connection.open(address));
  return { done: true };
}

/** Each connection sends its next request after the response to the previous one. */
async function inTurns(
  { from, count }: { from: number; count: number },
  send: (connection: Connection, n: number) => Promise<void>,
): Promise<ClientReport> {
  let next = from;
  const began = now();
  const work = async (connection: Connection) => {
    while (next < from + count) await send(connection, next++);
  };
  await Promise.all(connections.map(work));
  return { began, ended: now() };
}

async function list(collection: string, times: number): Promise<ClientReport> {
  const [connection] = connections;
  const milliseconds: number[] = [];
  for (let n = 0; n < times; n++) {
    const began = now();
    await connection?.request('GET', collection).then(mustBe(200));
    milliseconds.push(now() - began);
  }
  return { milliseconds };
}

async function watch(address: ServerAddress, collection: string, count: number): Promise<ClientReport> {
  for (let watcher = 0; watcher < count; watcher++) nextMessage.push({ event: -1, at: 0 });
  const opening = Array.from({ length: count }, async (_, watcher) => {
    const connection = await Connection.open(address);
    connections.push(connection);
    await new Promise<void>((resolve) => {
      connection.stream(`${collection}?watch=true`, (text) => {
        resolve();
        const event = /event (\d+) /.exec(text)?.[1];
        if (event === undefined) return;
        nextMessage[watcher] = { event: Number(event), at: now() };
        onEvent();
      });
    });
  });
  await Promise.all(opening);
  return { done: true };
}

function expectEvent(wanted: number): Promise<ClientReport> {
  const { promise, resolve } = Promise.withResolvers<ClientReport>();
  onEvent = () => {
    if (nextMessage.every(({ event }) => event === wanted))
      resolve({ received: nextMessage.map(({ at }) => at) });
  };
  onEvent();
  return promise;
}

function configMapText(n: number): string {
  return JSON.stringify({ kind: 'ConfigMap', metadata: { name: `c-${n}` }, data: { text: kilobyte } });
}

function mustBe(wanted: number): (status: number) => void {
  return (status) => {
    if (status !== wanted) throw new Error(`unexpected response status ${status}, expected ${wanted}`);
  };
}

function now(): number {
  return performance.timeOrigin + performance.now();
}

function report(message: ClientReport): void {
  process.send?.(message);
}
