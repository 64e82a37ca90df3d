import type { KubeClient } from '@trimtab/kube/client.ts';
import { readUsername } from '../../versions/reads/read-username.ts';
import type { Person } from '../request/gateway-request.ts';
import { trackWrites } from './track-writes.ts';

type Username = (review: () => Promise<string>) => Promise<string>;

/** A caller whom the API server authenticates by the credentials of the request. `username` caches the review. */
export function personCaller(as: KubeClient, username: Username): Person {
  const { client, mayHaveWritten } = trackWrites(as);
  return {
    is: 'person',
    client,
    mayHaveWritten,
    username: () => username(() => readUsername(client)),
  };
}
