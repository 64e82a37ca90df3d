import type { KubeObject } from '@trimtab/kube/wire.ts';
import { expect, test } from 'vitest';
import { keysOfOwners } from './keys-of-owners.ts';

const set = (name: string, app: string) => ({
  metadata: { name, namespace: 'ns' },
  spec: { selector: { matchLabels: { app } } },
});
const sets = [set('web', 'web'), set('twin', 'web'), set('api', 'api')];
const owners = { inNamespace: (namespace: string) => (namespace === 'ns' ? sets : []) };
const pod = (app: string, owner?: { kind?: string; name: string }): KubeObject => ({
  metadata: {
    namespace: 'ns',
    labels: { app },
    ...(owner && {
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', uid: 'u', controller: true, ...owner }],
    }),
  },
});

test.each<[string, { before?: KubeObject; after?: KubeObject }, string[]]>([
  ['its controller', { after: pod('web', { name: 'web' }) }, ['ns/web']],
  ['its controller, when it is gone', { before: pod('web', { name: 'web' }) }, ['ns/web']],
  [
    'the old and the new one',
    { before: pod('web', { name: 'web' }), after: pod('web', { name: 'api' }) },
    ['ns/web', 'ns/api'],
  ],
  ['all who select an orphan', { after: pod('web') }, ['ns/web', 'ns/twin']],
  [
    'the one that let it go, and all who select it now',
    { before: pod('web', { name: 'web' }), after: pod('api') },
    ['ns/web', 'ns/api'],
  ],
  ['nobody, of another kind', { after: pod('web', { kind: 'DaemonSet', name: 'web' }) }, []],
  ['nobody, when an orphan is gone', { before: pod('web') }, []],
])('a change of a pod wakes %s', (_, change, keys) => {
  expect([...keysOfOwners('ReplicaSet', change, owners)]).toEqual(keys);
});
