import type { KubeClient } from '@trimtab/kube/client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Person } from '../request/gateway-request.ts';
import { trackWrites } from './track-writes.ts';

interface SelfSubjectReview extends KubeObject {
  status?: { userInfo?: { username?: string } };
}

/** A caller whom the API server authenticates by the credentials of the request. */
export function personCaller(as: KubeClient): Person {
  const { client, mayHaveWritten } = trackWrites(as);
  let asked: Promise<string> | undefined;
  return {
    is: 'person',
    client,
    mayHaveWritten,
    username() {
      asked ??= usernameOf(client);
      return asked;
    },
  };
}

async function usernameOf(client: KubeClient): Promise<string> {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
  const review = await client.raw<SelfSubjectReview>({ method: 'POST', path, body });
  return review.status?.userInfo?.username ?? '';
}
