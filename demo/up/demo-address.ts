import type { KubeClient } from '@trimtab/kube/client.ts';
import { sleep, systemClock } from '@trimtab/kube/clock.ts';
import { services } from '@trimtab/kube/resource.ts';
import { localPortsAnnotation } from '@trimtab/local-cluster/objects/local-ports.ts';
import { demoNamespace } from '../app/demo-manifests.ts';

const lookAgainMs = 50;
const patienceMs = 10_000;

/** Returns the URL of the demo's Service; undefined when the Service gets no port within 10 s. */
export async function demoAddress(client: KubeClient, signal: AbortSignal): Promise<string | undefined> {
  const until = systemClock.monotonic() + patienceMs;
  while (systemClock.monotonic() < until) {
    const { metadata } = await client.get(services, { namespace: demoNamespace, name: 'demo' });
    const [, port] = /=(\d+)/.exec(metadata.annotations?.[localPortsAnnotation] ?? '') ?? [];
    if (port !== undefined) return `http://127.0.0.1:${port}`;
    await sleep(systemClock, lookAgainMs, signal);
  }
  return undefined;
}
