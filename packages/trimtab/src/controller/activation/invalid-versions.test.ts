import { expect, test } from 'vitest';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import { emptyLedger, formatLedger } from '../../core/version/ledger.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import { invalidVersions } from './invalid-versions.ts';

const versionOf = (config: string, deleting = false) => ({
  deleting,
  labels: { [labels.config]: config, [labels.versionOf]: 'u1' },
  annotations: {
    [annotations.config]: config,
    [annotations.version]: '1.0.0',
    [annotations.contentHash]: 'h',
    [annotations.sequence]: '1',
  },
});
const objects = new Map<string, object>([
  ['ns/foo', { labels: {}, annotations: {} }],
  ['ns/foo-aaaaaaaaaa', versionOf('foo')],
  ['ns/foo-cccccccccc', versionOf('foo', true)],
  ['ns/bar-aaaaaaaaaa', versionOf('bar')],
]);
const ledger = { ...emptyLedger, deletedObjects: ['bbbbbbbbbb:u9'] };
const rollout = {
  metadata: { namespace: 'ns', uid: 'u1', annotations: { [annotations.ledger]: formatLedger(ledger) } },
  spec: { config: { kind: 'ConfigMap', name: 'foo' } },
} as unknown as ConfigRollout;
const cluster = {
  configs: { ConfigMap: { cache: objects } },
  rollouts: { cache: new Map([['ns/configmap-foo', rollout]]) },
} as unknown as ClusterCache;

function problems(text: string): string[] {
  const templateAnnotations = { [annotations.versions]: text };
  const workload = { kind: 'Deployment', namespace: 'ns', name: 'web', templateAnnotations };
  return invalidVersions(cluster, workload as unknown as Workload, 'ConfigMap/foo');
}

test('a version of the config that exists is valid, and what is assigned to other configs is not looked at', () => {
  expect(problems('configmap/foo=foo-aaaaaaaaaa,configmap/bar=nothing')).toEqual([]);
  expect(problems('secret/foo=nothing')).toEqual([]);
});

const where = 'Deployment web: annotation trimtab.dev/versions of its pod template';

test.each([
  ['a version that was deleted', 'foo-bbbbbbbbbb', 'does not exist'],
  ['a version that is being deleted', 'foo-cccccccccc', 'does not exist'],
  ['a name that never existed', 'nothing', 'does not exist'],
  ['a version of another config', 'bar-aaaaaaaaaa', 'is not a version of ConfigMap foo'],
  ['the config itself', 'foo', 'is not a version of ConfigMap foo'],
])('%s is not valid', (_, object, why) => {
  expect(problems(`configmap/foo=${object}`)).toEqual([`${where} names "${object}", which ${why}`]);
});

test.each(['', 'nonsense', 'configmap/foo=foo-aaaaaaaaaa,configmap/foo=foo-aaaaaaaaaa'])(
  'an annotation that is not valid is told: %j',
  (text) => {
    expect(problems(text)).toEqual([`${where} is not valid, so none of its pods can start`]);
  },
);
