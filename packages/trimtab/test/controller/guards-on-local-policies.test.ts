import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { AdmissionRequest } from '@trimtab/local-cluster/apiserver/admission/admission-request.ts';
import { admitByPolicies } from '@trimtab/local-cluster/apiserver/admission/policy/admit.ts';
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '@trimtab/local-cluster/apiserver/admission/policy/policy-objects.ts';
import type { ConfigMap } from '@trimtab/test-bed/objects/config-map.ts';
import { describe, expect, test } from 'vitest';
import { annotations, labels } from '../../src/api/names.ts';
import { manifestObjects, rollout, version } from './installed-manifests.ts';

/** The admission policies of `trimtab manifests`, evaluated by the policy engine of the local API server. */
const installed = manifestObjects({ webhook: false });
const of = <T extends KubeObject>(kind: string) => installed.filter((each) => each.kind === kind) as T[];
const parameter = rollout('ConfigMap', 'foo', 'ns');
const source = {
  policies: () => of<ValidatingAdmissionPolicy>('ValidatingAdmissionPolicy'),
  bindings: () => of<ValidatingAdmissionPolicyBinding>('ValidatingAdmissionPolicyBinding'),
  parameters: () => ({ namespaced: false, all: () => [parameter] }),
};

/** Returns the decision for a request. alice may update the config foo, bob may not. */
function said(
  operation: AdmissionRequest['operation'],
  who: string,
  now?: KubeObject,
  old?: KubeObject,
): string {
  const request: AdmissionRequest = {
    uid: 'u',
    operation,
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
    requestResource: { group: '', version: 'v1', resource: 'configmaps' },
    otherVersions: [],
    subresource: '',
    name: now?.metadata.name ?? old?.metadata.name ?? '',
    namespace: 'ns',
    namespaceLabels: { 'kubernetes.io/metadata.name': 'ns' },
    namespaceObject: undefined,
    userInfo: { username: who, groups: [] },
    object: now,
    oldObject: old,
    dryRun: false,
    options: {},
  };
  const { denied } = admitByPolicies(source, request, (asked) => ({
    allowed:
      'name' in asked && asked.name === 'foo' && asked.verb === 'update' && asked.user.username === 'alice',
    reason: '',
  }));
  return denied === undefined ? 'admitted' : `${denied.reason}: ${denied.message}`;
}

const made = (): ConfigMap => version('foo-1', 'ns');
const current = (): ConfigMap => version('foo-1', 'ns', { state: 'current' });

describe('versions', () => {
  test('are made by those who may edit the config, and by nobody else', () => {
    expect(said('CREATE', 'alice', made())).toBe('admitted');
    expect(said('CREATE', 'bob', made())).toBe(
      "Forbidden: ValidatingAdmissionPolicy 'trimtab-versions' with binding 'trimtab-versions' denied request: user 'bob' cannot create a version of 'foo': missing permission to update configmaps 'foo' in namespace 'ns'",
    );
  });

  test('are never born current, and never for somebody else', () => {
    expect(said('CREATE', 'alice', current())).toContain('a new version must be not-current');
    const forged = version('foo-1', 'ns', { annotations: { [annotations.createdBy]: 'bob' } });
    expect(said('CREATE', 'alice', forged)).toContain("must be 'alice', the user of this request");
  });

  test.each([
    ['no name', ''],
    ['the reserved name', 'current'],
    ['the reserved name in capitals', 'CURRENT'],
    ['a line break', '1.0\n1'],
    ['an escape sequence', '1.0\u001b[31m'],
    ['a bidirectional mark', '1.0\u202e1'],
    ['a character of no width', '1.0\u200b1'],
    ['a variation selector', 'ship\ufe0f'],
    ['a variation selector of another plane', 'ship\u{e0100}'],
    ['a character for private use', '1.0\ue000'],
    ['254 characters', 'x'.repeat(254)],
  ])('are not created by anybody with %s', (_, name) => {
    const named = version('foo-1', 'ns', { annotations: { [annotations.version]: name } });
    expect(said('CREATE', 'alice', named)).toContain(
      'annotation trimtab.dev/version of a version must have 1 to 253 characters',
    );
  });

  test.each(['1.0.0', 'initial release', 'Ünïcode 版本 🚢', 'currently', '😀'.repeat(253)])(
    'may be called %s',
    (name) => {
      const named = version('foo-1', 'ns', { annotations: { [annotations.version]: name } });
      expect(said('CREATE', 'alice', named)).toBe('admitted');
    },
  );

  test('keep their marks', () => {
    const changed = made();
    changed.metadata.labels = { ...changed.metadata.labels, [labels.state]: 'current' };
    expect(said('UPDATE', 'alice', changed, made())).toContain('only Trimtab writes them');
    const own = made();
    own.metadata.labels = { ...own.metadata.labels, team: 'red' };
    expect(said('UPDATE', 'alice', own, made())).toBe('admitted');
  });

  test('that are current are not deleted, except by those who clean up', () => {
    expect(said('DELETE', 'alice', undefined, current())).toContain('make another version current first');
    expect(said('DELETE', 'alice', undefined, made())).toBe('admitted');
    expect(
      said('DELETE', 'system:serviceaccount:kube-system:namespace-controller', undefined, current()),
    ).toBe('admitted');
  });

  test('that were current are deleted by the user who purges them, once no ConfigRollout owns them', () => {
    const marked = (kind: string) =>
      version('foo-1', 'ns', {
        ...{ state: 'current', annotations: { [annotations.purge]: 'alice' } },
        ownerReferences: [{ apiVersion: 'any/v1', kind, name: 'owner', uid: 'owner' }],
      });
    expect(said('DELETE', 'alice', undefined, marked('ReplicaSet'))).toBe('admitted');
    expect(said('DELETE', 'bob', undefined, marked('ReplicaSet'))).toContain('while it is current');
    expect(said('DELETE', 'alice', undefined, marked('ConfigRollout'))).toContain('while it is current');
  });
});

test('a locked config keeps its data', () => {
  const foo = (color: string, own: Record<string, string> = { [labels.locked]: 'true' }): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'foo', namespace: 'ns', labels: { [labels.config]: 'foo', ...own } },
    data: { color },
  });
  expect(said('UPDATE', 'alice', foo('red'), foo('blue'))).toContain("ConfigMap 'foo' is locked");
  expect(said('UPDATE', 'alice', foo('blue'), foo('blue'))).toBe('admitted');
  expect(said('UPDATE', 'alice', foo('blue', {}), foo('blue'))).toContain("ConfigMap 'foo' is locked");
  expect(said('UPDATE', 'alice', foo('red', {}), foo('blue', {}))).toBe('admitted');
});

test('what is not ours is nobody’s business', () => {
  const plain = made();
  plain.metadata.labels = {};
  expect(said('CREATE', 'bob', plain)).toBe('admitted');
});
