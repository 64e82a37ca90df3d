import type { KubeClient } from '@trimtab/kube/client.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import { keepMetadata } from '@trimtab/kube/watch/keep-metadata.ts';
import { Reflector } from '@trimtab/kube/watch/reflector.ts';
import type { KubeObject, WatchEvent } from '@trimtab/kube/wire.ts';
import { percentile } from '../percentile.ts';
import type { BenchContext, Figure, Row } from '../row.ts';

const usualWrites = 500;
const block = 50;
const warmUp = 20;
const mark = 'trimtab.dev/bench';
const name = 'watched';

/** Calls back with the mark of each observed write. Resolves when the watch is open and misses no later write. */
type Watcher = (
  context: BenchContext,
  signal: AbortSignal,
  onMark: (mark: string | undefined) => void,
) => Promise<void>;

export const watchLatency: Row = {
  name: 'watch-latency',
  what: 'from a write to the call of the event handler',
  async run(context) {
    const { client, count: writes = usualWrites, namespace, say } = context;
    await client.create(configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace, name },
      data: { text: 'x'.repeat(1024) },
    } as KubeObject);
    const taken = { ours: [] as number[], peer: [] as number[] };
    // Alternates between the two, so that load on the machine affects both.
    for (let done = 0; done < writes; done += block) {
      say(`watch-latency: ${done} of ${writes} writes for each`);
      const size = Math.min(block, writes - done);
      taken.ours.push(...(await measure(context, throughReflector, size)));
      taken.peer.push(...(await measure(context, throughBareStream, size)));
    }
    const figure = (what: string, percent: number): Figure => ({
      what,
      unit: 'ms',
      ours: percentile(taken.ours, percent),
      peer: percentile(taken.peer, percent),
    });
    return {
      ours: 'reflector',
      peer: 'bare stream',
      how: `write sent → handler called; metadata-only watch, ${writes} writes one by one for each, alternating in blocks of ${block}`,
      figures: [figure('p50', 50), figure('p99', 99), figure('longest', 100)],
    };
  },
};

async function measure(context: BenchContext, watcher: Watcher, writes: number): Promise<number[]> {
  const stop = new AbortController();
  const seen = new Map<string, () => void>();
  const times: number[] = [];
  try {
    await watcher(context, AbortSignal.any([stop.signal, context.signal]), (value) => {
      if (value !== undefined) seen.get(value)?.();
    });
    for (let n = -warmUp; n < writes; n++) {
      const value = `${performance.now()}`;
      const handled = new Promise<number>((resolve) => seen.set(value, () => resolve(performance.now())));
      const start = performance.now();
      const written = write(context.client, context.namespace, value, context.signal);
      const end = await Promise.race([handled, written.then(() => handled)]);
      await written;
      if (n >= 0) times.push(end - start);
      seen.delete(value);
    }
  } finally {
    stop.abort();
  }
  return times;
}

async function write(
  client: KubeClient,
  namespace: string,
  value: string,
  signal: AbortSignal,
): Promise<void> {
  const body = { metadata: { annotations: { [mark]: value } } };
  await client.patch(configMaps, { namespace, name }, { type: 'merge', body }, { signal });
}

const throughReflector: Watcher = async ({ client, namespace }, signal, onMark) => {
  const reflector = new Reflector<KubeObject>({
    name: 'bench',
    client,
    resource: configMaps,
    namespace,
    projection: 'metadata',
    transform: keepMetadata,
    indexes: {},
    log: silentLogger,
  });
  reflector.subscribe(({ after }) => onMark(after?.metadata.annotations?.[mark]));
  void reflector.run(signal);
  await reflector.waitForSync(signal);
};

const throughBareStream: Watcher = async ({ client, namespace }, signal, onMark) => {
  const list = await client.list(configMaps, { namespace, projection: 'metadata', limit: 1, signal });
  const resourceVersion = list.metadata.resourceVersion ?? '';
  const stream = await client.watch(configMaps, {
    namespace,
    projection: 'metadata',
    timeoutSeconds: 300,
    resourceVersion,
    signal,
  });
  void (async () => {
    for await (const document of stream.events)
      onMark((document as WatchEvent).object.metadata.annotations?.[mark]);
  })().catch(() => {});
};
