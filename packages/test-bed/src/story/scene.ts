import type { KubeClient } from '@trimtab/kube/client.ts';
import { events, pods } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { summaryOf } from '../objects/summary.ts';

interface Event extends KubeObject {
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  involvedObject: { kind?: string; name?: string };
}

/** Describes the pods and the latest events of a namespace, for the error of a wait that timed out. */
export async function clusterState(client: KubeClient, namespace: string): Promise<string> {
  const [podList, eventList] = await Promise.all([
    client.list(pods, { namespace, limit: 50 }),
    client.list<Event>(events, { namespace, limit: 500 }),
  ]);
  return renderClusterState(namespace, podList.items, eventList.items);
}

export function renderClusterState(namespace: string, podsNow: KubeObject[], eventsNow: Event[]): string {
  const latest = eventsNow
    .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
    .slice(-10)
    .map(
      ({ involvedObject, reason, message, count = 1 }) =>
        `${involvedObject.kind} ${involvedObject.name}: ${reason}: ${message}${count > 1 ? ` (${count} times)` : ''}`,
    );
  return [
    `Pods in ${namespace} now:`,
    ...indented(podsNow.map(summaryOf)),
    `Latest events in ${namespace}:`,
    ...indented(latest),
  ].join('\n');
}

function indented(lines: string[]): string[] {
  return lines.length === 0 ? ['  none'] : lines.map((line) => `  ${line}`);
}
