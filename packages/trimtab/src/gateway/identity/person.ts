import type { KubeClient } from '@trimtab/kube/client.ts';
import { readUsername } from '../../versions/reads/read-username.ts';
import type { Person } from '../request/gateway-request.ts';
import { trackWrites } from './track-writes.ts';

/** A caller whom the API server authenticates by the credentials of the request. */
export function personCaller(as: KubeClient): Person {
  const { client, mayHaveWritten } = trackWrites(as);
  let asked: Promise<string> | undefined;
  let known: string | undefined;
  return {
    is: 'person',
    client,
    mayHaveWritten,
    username() {
      asked ??= readUsername(client).then((name) => (known = name));
      return asked;
    },
    knownUsername: () => known,
  };
}
