import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@trimtab/kube/http/free-port.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import { readBed } from '@trimtab/test-bed/engines/bed.ts';
import { connectKubernetes } from '@trimtab/test-bed/engines/kubernetes-engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { annotations, systemNamespace } from 'trimtab/api/names.ts';
import { GatewayProcess } from '../../packages/trimtab/test/gateway/support/gateway-process.ts';
import { installedStory } from '../../packages/trimtab/test/support/installed-story.ts';
import { managed } from '../../packages/trimtab/test/support/managed.ts';
import { acknowledgementProxy } from '../acknowledgement-proxy.ts';
import { startInjectedAgent } from '../injected-agent.ts';
import { percentile } from '../percentile.ts';
import type { BenchContext, Measurement, Row } from '../row.ts';

const usualEdits = 60;
const warmUp = 5;
const quietMs = 300;

/** Budget: an edit is acknowledged within 10 ms (p50) and 50 ms (p99), with stages, bake and coalescing off. */
export const reloadAcknowledged: Row = {
  name: 'reload-acknowledged',
  what: 'from an edit of a ConfigMap to the acknowledgement of a real agent at the gateway',
  run: measure,
};

async function measure({ bed, count = usualEdits, say }: BenchContext): Promise<Measurement> {
  const engine = await connectKubernetes(await readBed(bed));
  await using _engine = { [Symbol.asyncDispose]: () => engine.close() };
  const app = createServer((_, response) => response.end());
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  const flags = ['--kubeconfig', engine.kubeconfig, '--home-namespace', systemNamespace, '--no-tls'];
  let gateway: GatewayProcess | undefined;
  const proxy = await acknowledgementProxy(() => gateway?.url ?? '');
  const injection = ['--agent-image', 'trimtab-agent', '--gateway-url', proxy.url, '--gateway-ca-file'];
  const own = new URL(import.meta.url).pathname;
  await using it = await installedStory(engine, ['--coalesce', '0s', ...injection, own], { inject: true });
  gateway = await GatewayProcess.startWith(flags);
  const reload = annotated({
    [annotations.restart]: 'false',
    [annotations.reload]: `http:POST http://127.0.0.1:${(app.address() as AddressInfo).port}/-/reload`,
    [annotations.configPort]: String(await freePort()),
  });
  await it.shortBake(['app'], { bakeSeconds: 0 });
  const first = { 'app.conf': 'start', 'other.conf': 'x'.repeat(4_096) };
  await it.given.objects(
    configMap('app', first),
    deployment('web', mountingConfigMap('app', '/etc/app'), managed, reload),
  );
  await it.isCurrent('1.0.0', 'configmap-app');
  const agent = await startInjectedAgent(it.client, it.namespace, 'web', first);
  const taken: number[] = [];
  try {
    let version = '1.0.0';
    for (let n = -warmUp; n < count; n++) {
      if (n % 10 === 0) say(`reload-acknowledged: ${Math.max(0, n)} of ${count} edits`);
      const acknowledged = proxy.acknowledgedAfter(version);
      const began = performance.now();
      const patch = { type: 'merge', body: { data: { 'app.conf': `${n}` } } } as const;
      await it.client.patch(configMaps, { namespace: it.namespace, name: 'app' }, patch);
      const { version: next, at } = await acknowledged;
      if (n >= 0) taken.push(at - began);
      version = next;
      await it.isCurrent(version, 'configmap-app');
      // Events, owners and labels are written after the version is current.
      await delay(quietMs);
    }
  } finally {
    await agent.stop();
    await gateway.stop();
    proxy.close();
    app.close();
    app.closeAllConnections();
  }
  const figure = (percent: number, atMost: number) => ({
    what: `edit → acknowledged, p${percent}`,
    unit: 'ms',
    ours: percentile(taken, percent),
    budget: { atMost },
  });
  return {
    ours: 'trimtab',
    peer: '',
    how: `PATCH of a ConfigMap of 4 KB sent → acknowledgement of the compiled agent received in front of the gateway; ${count} edits one by one, each ${quietMs} ms after the version before is current. Controller and gateway are processes on Node, the application is told by a POST`,
    figures: [figure(50, 10), figure(99, 50)],
  };
}
