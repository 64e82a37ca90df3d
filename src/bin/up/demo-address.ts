import { annotations } from '../../api/names.ts';
import type { KubeClient } from '../../kube/client.ts';
import { services } from '../../kube/resource.ts';
import { demoNamespace } from '../../local/demo/demo-manifests.ts';
import { sleep, systemClock } from '../../platform/clock.ts';

const lookAgainMs = 50;
const patienceMs = 10_000;

/** Where the demo's Service can be reached; undefined when it gets no address in time. */
export async function demoAddress(client: KubeClient, signal: AbortSignal): Promise<string | undefined> {
  const until = systemClock.monotonic() + patienceMs;
  while (systemClock.monotonic() < until) {
    const { metadata } = await client.get(services, { namespace: demoNamespace, name: 'demo' });
    const [, port] = /=(\d+)/.exec(metadata.annotations?.[annotations.localPorts] ?? '') ?? [];
    if (port !== undefined) return `http://127.0.0.1:${port}`;
    await sleep(systemClock, lookAgainMs, signal);
  }
  return undefined;
}
