import { Agent, request } from 'node:https';
import type { ClusterAccess } from '@trimtab/kube/access.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import { readBed } from '@trimtab/test-bed/engines/bed.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { connectKubernetes } from '@trimtab/test-bed/engines/kubernetes-engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { GatewayProcess } from '../../packages/trimtab/test/gateway/support/gateway-process.ts';
import { percentile } from '../percentile.ts';
import type { BenchContext, Figure, Row } from '../row.ts';

const usualReads = 2_000;
const block = 50;
const warmUp = 200;

/** Sends one GET over a kept-alive connection and returns its duration in milliseconds. */
type Get = () => Promise<number>;

export const gatewayPassThrough: Row = {
  name: 'gateway-pass-through',
  what: 'latency that the gateway adds to a GET',
  async run(context) {
    const engine = await connectKubernetes(await readBed(context.bed));
    const { namespace: homeNamespace } = context;
    const gateway = await GatewayProcess.start(engine, {
      homeNamespace,
      flags: ['--requests-per-second', '0'],
    });
    try {
      return await measure(context, engine, gateway);
    } finally {
      await gateway.stop();
      await engine.close();
    }
  },
};

async function measure(context: BenchContext, engine: Engine, gateway: GatewayProcess) {
  const { client, count: reads = usualReads, namespace, say } = context;
  const object = configMap('read', { text: 'x'.repeat(1024) });
  object.metadata.namespace = namespace;
  await client.create(configMaps, object);
  const access = await readerAccess(engine, namespace);
  const { url, authority } = await gateway.address(engine, namespace);
  const path = `/api/v1/namespaces/${namespace}/configmaps/read`;
  const { ca } = await access.tls();
  const direct = await getter(`${access.server}${path}`, access, ca);
  const through = await getter(`${url}${path}`, access, authority);
  await waitFor('the reader to be authorized', async () => {
    try {
      return { met: await through() };
    } catch (error) {
      return { seen: String(error) };
    }
  });
  const taken = { direct: [] as number[], through: [] as number[] };
  for (let n = 0; n < warmUp; n++) await Promise.all([direct(), through()]);
  // Alternates between the two, so that load on the machine affects both.
  for (let done = 0; done < reads; done += block) {
    say(`gateway-pass-through: ${done} of ${reads} GETs for each`);
    for (let n = 0; n < block; n++) taken.direct.push(await direct());
    for (let n = 0; n < block; n++) taken.through.push(await through());
    context.signal.throwIfAborted();
  }
  const figures = [50, 90, 99].flatMap((percent): Figure[] => {
    const [ours, peer] = [percentile(taken.through, percent), percentile(taken.direct, percent)];
    const budget = { 50: { atMost: 1 }, 90: undefined, 99: { atMost: 5 } }[percent];
    return [
      { what: `p${percent}`, unit: 'ms', ours, peer },
      { what: `p${percent}, added`, unit: 'ms', ours: ours - peer, ...(budget && { budget }) },
    ];
  });
  return {
    ours: 'through the gateway',
    peer: 'API server directly',
    how: `GET of a ConfigMap of 1 KB with a token, TLS, one kept-alive connection each; ${reads} GETs one by one for each, alternating in blocks of ${block}; the gateway is a separate process`,
    figures,
  };
}

async function readerAccess(engine: Engine, namespace: string): Promise<ClusterAccess> {
  await kubectl(engine, ['create', 'serviceaccount', 'reader'], { namespace });
  const binding = ['--clusterrole=view', `--serviceaccount=${namespace}:reader`];
  await kubectl(engine, ['create', 'rolebinding', 'reader', ...binding], { namespace });
  return engine.access({ serviceAccount: 'reader', namespace });
}

async function getter(url: string, access: ClusterAccess, ca: string | Buffer | undefined): Promise<Get> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ...(ca !== undefined && { ca }) });
  const headers = await access.headers();
  return () =>
    new Promise((resolve, reject) => {
      const start = performance.now();
      request(url, { agent, headers }, (response) => {
        response.resume();
        response.once('end', () => {
          if (response.statusCode === 200) resolve(performance.now() - start);
          else reject(new Error(`GET ${url}: unexpected response status ${response.statusCode}`));
        });
      })
        .on('error', reject)
        .end();
    });
}
