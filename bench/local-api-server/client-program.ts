import { Connection, type Door } from './connection.ts';

/** What the parent wants of a process of clients. */
export type ClientOrder =
  | { do: 'connect'; door: Door; connections: number }
  /** Requests for `from`, `from + 1` …, shared out among the connections. */
  | { do: 'create' | 'get'; collection: string; from: number; count: number }
  | { do: 'list'; collection: string; times: number }
  /** Answers when all of them are served. */
  | { do: 'watch'; door: Door; collection: string; watchers: number }
  /** Answers when every watcher was told of `event N`, be it before it was asked. */
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
/** The last event that each watcher was told of, and when. */
const told: { event: number; at: number }[] = [];
let onEvent: () => void = () => {};

process.on('message', (order: ClientOrder) => {
  carryOut(order).then(report, (error: unknown) => report({ broken: String(error) }));
});

function carryOut(order: ClientOrder): Promise<ClientReport> {
  switch (order.do) {
    case 'connect':
      return open(order.door, order.connections);
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
      return watch(order.door, order.collection, order.watchers);
    case 'expect':
      return expectEvent(order.event);
  }
}

async function open(door: Door, count: number): Promise<ClientReport> {
  for (let n = 0; n < count; n++) connections.push(await Connection.open(door));
  return { done: true };
}

/** Each connection sends its next request when it has the answer to its last. */
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

async function watch(door: Door, collection: string, count: number): Promise<ClientReport> {
  for (let watcher = 0; watcher < count; watcher++) told.push({ event: -1, at: 0 });
  const opening = Array.from({ length: count }, async (_, watcher) => {
    const connection = await Connection.open(door);
    connections.push(connection);
    await new Promise<void>((resolve) => {
      connection.stream(`${collection}?watch=true`, (text) => {
        resolve();
        const event = /event (\d+) /.exec(text)?.[1];
        if (event === undefined) return;
        told[watcher] = { event: Number(event), at: now() };
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
    if (told.every(({ event }) => event === wanted)) resolve({ received: told.map(({ at }) => at) });
  };
  onEvent();
  return promise;
}

function configMapText(n: number): string {
  return JSON.stringify({ kind: 'ConfigMap', metadata: { name: `c-${n}` }, data: { text: kilobyte } });
}

function mustBe(wanted: number): (status: number) => void {
  return (status) => {
    if (status !== wanted) throw new Error(`the server answered ${status}, not ${wanted}`);
  };
}

function now(): number {
  return performance.timeOrigin + performance.now();
}

function report(message: ClientReport): void {
  process.send?.(message);
}
