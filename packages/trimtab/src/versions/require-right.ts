import type { KubeClient } from '@trimtab/kube/client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { missingText, type Need } from '../core/installation/caller-needs.ts';
import { Refusal } from './refusal.ts';

interface Review extends KubeObject {
  status?: { allowed?: boolean };
}

/** The caller lacks a right, and nothing was changed. */
export class MissingRight extends Refusal {
  override readonly name = 'MissingRight';

  constructor(need: Need, namespace: string) {
    super(403, 'Forbidden', `nothing was changed: this request ${missingText(need, namespace)}`);
  }
}

/** Refuses a call before its first write when the API server would refuse one of its later writes. */
export async function requireRight(
  client: KubeClient,
  need: Need & { name?: string },
  namespace: string,
): Promise<void> {
  if (!(await isAllowed(client, need, namespace))) throw new MissingRight(need, namespace);
}

/** Whether the user of the client has a right. Every authenticated user may ask this. */
export async function isAllowed(
  client: KubeClient,
  { verb, group, resource, name }: Need & { name?: string },
  namespace: string,
): Promise<boolean> {
  const resourceAttributes = { verb, group, resource, namespace, ...(name !== undefined && { name }) };
  const review = await client.raw<Review>({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      metadata: {},
      spec: { resourceAttributes },
    },
  });
  return review.status?.allowed === true;
}
