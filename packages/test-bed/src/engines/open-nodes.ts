import type { KubeClient } from '@trimtab/kube/client.ts';
import { nodes } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';

interface Node extends KubeObject {
  spec?: { taints?: { effect: string }[] };
}

/** Nodes without taints that reject pods. Other tests create tainted nodes for their own pods at the same time. */
export async function openNodes(client: KubeClient): Promise<KubeObject[]> {
  const { items } = await client.list<Node>(nodes);
  return items.filter(({ spec }) => !spec?.taints?.some(({ effect }) => effect !== 'PreferNoSchedule'));
}
