import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { Refusal } from './refusal.ts';

interface Review extends KubeObject {
  status?: { allowed?: boolean };
}

/** Refuses a call before its first write when the API server would refuse one of its later writes. */
export async function requireRight(
  client: KubeClient,
  verb: string,
  { group, plural }: Pick<Resource, 'group' | 'plural'>,
  { namespace, name }: { namespace: string; name: string },
): Promise<void> {
  const resourceAttributes = { verb, group, resource: plural, namespace, name };
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
  if (review.status?.allowed !== true) throw missingRight(verb, { group, plural }, namespace);
}

/** The words of every refusal for a missing right. */
export function missingRight(
  verb: string,
  { group, plural }: Pick<Resource, 'group' | 'plural'>,
  namespace: string,
): Refusal {
  const resource = group === '' ? plural : `${plural}.${group}`;
  return new Refusal(
    403,
    'Forbidden',
    `this request needs "${verb}" on ${resource} in namespace "${namespace}"; nothing was changed`,
  );
}
