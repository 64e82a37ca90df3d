import { fork } from 'node:child_process';
import path from 'node:path';
import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { configMaps, resourcePath } from '@trimtab/kube/resource.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { orderAll } from '../child-orders.ts';
import type { ClientOrder, ClientReport } from './client-program.ts';
import type { ServerAddress } from './connection.ts';

const program = path.resolve(import.meta.dirname, 'client-program.ts');
const processes = 2;
const clients = 16;
const watchers = 100;
const lists = 7;
const events = 200;
const warmUpEvents = 20;

/** The API server under load: the local one or kube-apiserver. */
export interface Subject {
  access: ClusterAccess;
  client: KubeClient;
  /** A namespace without objects of an earlier run. */
  namespace: string;
  /** CPU time of the server process so far; undefined when it is not known. */
  cpuSeconds?: () => number;
}

export interface LoadFigures {
  writesPerSecond: number;
  getsPerSecond: number;
  /** The same per second of CPU time of the server; NaN when the CPU time is not known. */
  writesPerCpuSecond: number;
  getsPerCpuSecond: number;
  eventMs: number[];
  listMs: number[];
}

type Order = (order: (n: number) => ClientOrder) => Promise<Exclude<ClientReport, { broken: string }>[]>;

/** Creates and reads objects with 16 clients in 2 other processes, and sends events to 100 watchers. */
export async function underLoad(
  subject: Subject,
  objects: number,
  signal: AbortSignal,
  say: (progress: string) => void,
): Promise<LoadFigures> {
  const eventMs = await withClients(signal, (order) => eventsToWatchers(subject, order, say));
  return withClients(signal, async (order) => {
    const address = await addressOf(subject.access);
    await order(() => ({ do: 'connect', address: address, connections: clients / processes }));
    say(`creating ${objects} ConfigMaps`);
    const writes = await rate(subject, order, 'create', 0, objects);
    say(`listing ${objects} ConfigMaps`);
    const [listed] = await order((n) => ({
      do: 'list',
      collection: collectionOf(subject),
      times: n === 0 ? lists : 0,
    }));
    say(`reading ${objects} ConfigMaps, twice`);
    // The first pass warms up the server, which spends half of its first second on just-in-time compilation.
    await rate(subject, order, 'get', 0, objects);
    const gets = await rate(subject, order, 'get', 0, objects);
    return {
      writesPerSecond: writes.perSecond,
      writesPerCpuSecond: writes.perCpuSecond,
      getsPerSecond: gets.perSecond,
      getsPerCpuSecond: gets.perCpuSecond,
      listMs: listed !== undefined && 'milliseconds' in listed ? listed.milliseconds : [],
      eventMs,
    };
  });
}

async function withClients<T>(signal: AbortSignal, use: (order: Order) => Promise<T>): Promise<T> {
  const children = Array.from({ length: processes }, () => fork(program));
  try {
    return await use((order) => orderAll<ClientOrder, ClientReport>(children, order, signal));
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

/** Requests per second, from the first request to the last response. */
async function rate(
  subject: Subject,
  order: Order,
  what: 'create' | 'get',
  first: number,
  count: number,
): Promise<{ perSecond: number; perCpuSecond: number }> {
  const each = Math.ceil(count / processes);
  const cpuBefore = subject.cpuSeconds?.() ?? Number.NaN;
  const reports = await order((n) => ({
    do: what,
    collection: collectionOf(subject),
    from: first + n * each,
    count: Math.min(each, count - n * each),
  }));
  const cpu = (subject.cpuSeconds?.() ?? Number.NaN) - cpuBefore;
  const times = reports.flatMap((report) => ('began' in report ? report : []));
  const began = Math.min(...times.map((time) => time.began));
  const ended = Math.max(...times.map((time) => time.ended));
  return { perSecond: count / ((ended - began) / 1000), perCpuSecond: count / cpu };
}

/** Milliseconds from just before a write to the last byte of its event, per watcher. Writes are sent one by one. */
async function eventsToWatchers(
  { access, client, namespace }: Subject,
  order: Order,
  say: (progress: string) => void,
): Promise<number[]> {
  say(`${events} events to ${watchers} watchers`);
  const address = await addressOf(access);
  const object = configMap('watched', { text: '' });
  object.metadata.namespace = namespace;
  await client.create(configMaps, object);
  const collection = collectionOf({ namespace });
  await order(() => ({ do: 'watch', address: address, collection, watchers: watchers / processes }));
  const taken: number[] = [];
  for (let n = 0; n < warmUpEvents + events; n++) {
    const text = `event ${n} `.padEnd(1024, 'x');
    const receiving = order(() => ({ do: 'expect', event: n }));
    const sentAt = performance.timeOrigin + performance.now();
    const where = { namespace, name: 'watched' };
    await client.patch(configMaps, where, { type: 'merge', body: { data: { text } } });
    const times = (await receiving).flatMap((report) => ('received' in report ? report.received : []));
    if (n >= warmUpEvents) taken.push(...times.map((at) => at - sentAt));
  }
  return taken;
}

function collectionOf({ namespace }: { namespace: string }): string {
  return resourcePath(configMaps, { namespace });
}

async function addressOf(access: ClusterAccess): Promise<ServerAddress> {
  const { hostname: host, port } = new URL(access.server);
  const { ca = '', cert = '', key = '' } = await access.tls();
  const headers = Object.entries(await access.headers()).map(([name, value]) => `${name}: ${value}\r\n`);
  return {
    host,
    port: Number(port),
    ca: String(ca),
    cert: String(cert),
    key: String(key),
    headers: headers.join(''),
  };
}
