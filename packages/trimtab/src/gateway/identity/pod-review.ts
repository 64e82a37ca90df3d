import type { KubeObject } from '@trimtab/kube/wire.ts';
import { StatusError } from '../answer/status-error.ts';
import type { PodCaller } from '../request/gateway-request.ts';
import { podAudience } from './pod-token.ts';

export interface TokenReview extends KubeObject {
  status?: {
    authenticated?: boolean;
    audiences?: string[];
    error?: string;
    user?: { username?: string; extra?: Record<string, string[]> };
  };
}

/** Returns the pod that a reviewed token is bound to. Throws a StatusError for any other token. */
export function reviewedPod({ status }: TokenReview): PodCaller {
  if (status?.authenticated !== true)
    throw new StatusError(
      401,
      'Unauthorized',
      'the token is not valid or its pod no longer exists; read the token from its file again',
    );
  if (!status.audiences?.includes(podAudience))
    throw new StatusError(401, 'Unauthorized', `the token is not valid for the audience ${podAudience}`);
  const { username = '', extra = {} } = status.user ?? {};
  const account = /^system:serviceaccount:([^:]+):[^:]+$/.exec(username);
  const name = extra['authentication.kubernetes.io/pod-name']?.[0];
  const uid = extra['authentication.kubernetes.io/pod-uid']?.[0];
  if (account?.[1] === undefined || !name || !uid)
    throw new StatusError(
      403,
      'Forbidden',
      `a token for the audience ${podAudience} must be bound to a pod: mount it as a projected volume`,
    );
  return { is: 'pod', namespace: account[1], name, uid };
}
