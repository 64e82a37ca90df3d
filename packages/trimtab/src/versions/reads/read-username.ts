import type { KubeClient } from '@trimtab/kube/client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';

interface SelfSubjectReview extends KubeObject {
  status?: { userInfo?: { username?: string } };
}

/** The user name of the client's credentials, as the API server reports it; empty when it reports none. */
export async function readUsername(client: KubeClient): Promise<string> {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
  const review = await client.raw<SelfSubjectReview>({ method: 'POST', path, body });
  return review.status?.userInfo?.username ?? '';
}
