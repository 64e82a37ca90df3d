import type { KubeClient } from '@trimtab/kube/client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemNamespace } from '../../src/api/names.ts';
import { type ManifestOptions, serviceAccountName } from '../../src/controller/manifests/installation.ts';
import { printManifests } from '../../src/controller/manifests/print-manifests.ts';
import { manifestObjects } from './installed-manifests.ts';

let engine: Engine;
let admin: KubeClient;
let team: string;
let other: string;
const applied: KubeObject[] = [];

beforeAll(async () => {
  engine = await currentEngine();
  admin = await engine.connect();
  [team, other] = [await engine.namespace(), await engine.namespace()];
  const identity = manifestObjects({}).filter(
    ({ kind }) => kind === 'Namespace' || kind === 'ServiceAccount',
  );
  await kubectlList('apply', identity);
});

afterAll(async () => {
  if (engine === undefined) return;
  await kubectlList('delete', applied, '--ignore-not-found', '--wait=false');
  await engine.close();
});

async function kubectlList(verb: string, items: KubeObject[], ...flags: string[]): Promise<string> {
  const stdin = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  const { code, stdout, stderr } = await kubectl(engine, [verb, ...flags, '--filename', '-'], { stdin });
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

/** Grants the controller's permissions to a user of this test, independent of other installations in the cluster. */
async function granted(user: string, options: ManifestOptions): Promise<void> {
  type Binding = KubeObject & { subjects?: unknown[]; roleRef?: { name: string } };
  const mine = manifestObjects(options)
    .filter(({ kind }) => kind?.includes('Role'))
    .filter(({ metadata }) => !/^trimtab-(view|edit|(secret-)?(reader|releaser))$/.test(metadata.name ?? ''))
    .map((object: Binding) => ({
      ...object,
      metadata: { ...object.metadata, name: `${user}-${object.metadata.name}` },
      ...(object.roleRef && { roleRef: { ...object.roleRef, name: `${user}-${object.roleRef.name}` } }),
      ...(object.subjects && {
        subjects: [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }],
      }),
    }));
  applied.push(...mine);
  await kubectlList('apply', mine);
  await waitFor('the rights are known', async () =>
    (await may(user, 'list', 'configmaps', { namespace: team })) ? { met: true } : { seen: 'not yet' },
  );
}

interface About {
  namespace?: string;
  name?: string;
}

/** Example: `may('bob', 'patch', 'deployments.apps/status', { namespace: 'team' })` */
async function may(user: string, verb: string, what: string, about: About = {}): Promise<boolean> {
  const [qualified = '', subresource] = what.split('/');
  const [resource, ...group] = qualified.split('.');
  const attributes = { verb, resource, group: group.join('.'), subresource, ...about };
  const review = await admin.raw<{ status: { allowed: boolean } }>({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user, resourceAttributes: attributes },
    },
  });
  return review.status.allowed;
}

async function allowed(
  user: string,
  about: About,
  table: readonly [verbs: string, what: string][],
): Promise<string[]> {
  const answers: string[] = [];
  for (const [verbs, what] of table)
    for (const verb of verbs.split(' '))
      if (await may(user, verb, what, about)) answers.push(`${verb} ${what}`);
  return answers;
}

const asked = (table: readonly [string, string][]) =>
  table.flatMap(([verbs, what]) => verbs.split(' ').map((verb) => `${verb} ${what}`));

const work: [string, string][] = [
  ['get list watch create patch delete', 'configmaps'],
  ['get list watch create patch delete', 'configrollouts.trimtab.dev'],
  ['update patch', 'configrollouts.trimtab.dev/status'],
  ['get list watch patch', 'deployments.apps'],
  ['get list watch patch', 'statefulsets.apps'],
  ['get list watch patch', 'daemonsets.apps'],
  ['get list watch', 'replicasets.apps'],
  ['get list watch', 'controllerrevisions.apps'],
  ['get list watch delete', 'pods'],
  ['create patch', 'events'],
];

const secretWork: [string, string][] = [
  ['get list watch create patch delete', 'secrets'],
  ['get', 'serviceaccounts'],
];

const mustNot: [string, string][] = [
  ['deletecollection', 'configmaps'],
  ['deletecollection', 'secrets'],
  ['deletecollection', 'configrollouts.trimtab.dev'],
  ['create delete', 'deployments.apps'],
  ['create delete', 'statefulsets.apps'],
  ['create delete', 'daemonsets.apps'],
  ['create patch delete', 'replicasets.apps'],
  ['create patch delete', 'controllerrevisions.apps'],
  ['create patch', 'pods'],
  ['create get', 'pods/exec'],
  ['get', 'pods/log'],
  ['create', 'pods/eviction'],
  ['create', 'serviceaccounts/token'],
  ['create patch', 'serviceaccounts'],
  ['create patch bind escalate', 'roles.rbac.authorization.k8s.io'],
  ['create patch', 'rolebindings.rbac.authorization.k8s.io'],
  ['create patch bind escalate', 'clusterroles.rbac.authorization.k8s.io'],
  ['create patch', 'clusterrolebindings.rbac.authorization.k8s.io'],
  ['impersonate', 'users'],
  ['create patch delete', 'namespaces'],
  ['get list', 'nodes'],
  ['patch delete', 'customresourcedefinitions.apiextensions.k8s.io'],
  ['patch delete', 'validatingadmissionpolicies.admissionregistration.k8s.io'],
  ['patch delete', 'validatingadmissionpolicybindings.admissionregistration.k8s.io'],
  ['create delete update patch', 'mutatingwebhookconfigurations.admissionregistration.k8s.io'],
];

describe('the controller', () => {
  test('may do its work in every namespace, and nothing else', async () => {
    await granted('everywhere', {});
    for (const namespace of [team, other]) {
      expect(await allowed('everywhere', { namespace }, [...work, ...secretWork])).toEqual(
        asked([...work, ...secretWork]),
      );
      expect(await allowed('everywhere', { namespace }, mustNot)).toEqual([]);
    }
  });

  test('for one namespace may do nothing in another', async () => {
    await granted('one-team', { namespaces: [team] });
    expect(await allowed('one-team', { namespace: team }, [...work, ...secretWork])).toEqual(
      asked([...work, ...secretWork]),
    );
    expect(await allowed('one-team', { namespace: team }, mustNot)).toEqual([]);
    expect(await allowed('one-team', { namespace: other }, [...work, ...secretWork, ...mustNot])).toEqual([]);
    expect(await allowed('one-team', {}, [...work, ...secretWork])).toEqual([]);
  });

  test('without Secrets reads none', async () => {
    await granted('no-secrets', { secrets: false });
    expect(await allowed('no-secrets', { namespace: team }, work)).toEqual(asked(work));
    expect(await allowed('no-secrets', { namespace: team }, secretWork)).toEqual([]);
    const own = { namespace: systemNamespace };
    expect(await allowed('no-secrets', own, secretWork)).toEqual(['create secrets']);
    const another = { ...own, name: 'another' };
    expect(await allowed('no-secrets', another, [['get update patch delete', 'secrets']])).toEqual([]);
  });

  test('looks after its own certificate, webhook and Lease, by name', async () => {
    await granted('own-things', {});
    const own = { namespace: systemNamespace };
    expect(await may('own-things', 'update', 'secrets', { ...own, name: 'trimtab-webhook' })).toBe(true);
    const lease: [string, string][] = [['get update watch', 'leases.coordination.k8s.io']];
    const named = { ...own, name: 'trimtab-controller' };
    expect(await allowed('own-things', named, lease)).toEqual(asked(lease));
    expect(await may('own-things', 'update', 'leases.coordination.k8s.io', { ...own, name: 'another' })).toBe(
      false,
    );
    expect(await may('own-things', 'create', 'leases.coordination.k8s.io', { namespace: team })).toBe(false);
    const webhooks = 'mutatingwebhookconfigurations.admissionregistration.k8s.io';
    expect(await may('own-things', 'update', webhooks, { name: 'trimtab-workloads' })).toBe(true);
    expect(await may('own-things', 'update', webhooks, { name: 'another' })).toBe(false);
    const guards: [string, string][] = [
      ['get', 'validatingadmissionpolicies.admissionregistration.k8s.io'],
      ['get', 'validatingadmissionpolicybindings.admissionregistration.k8s.io'],
    ];
    const policies: [string, string][] = [
      ['get', 'mutatingadmissionpolicies.admissionregistration.k8s.io'],
      ['get', 'mutatingadmissionpolicybindings.admissionregistration.k8s.io'],
    ];
    const ofPods = { name: 'trimtab-pod-references' };
    expect(await allowed('own-things', ofPods, [...guards, ...policies])).toEqual(asked(guards));
    expect(await allowed('own-things', { name: 'another' }, [...guards, ...policies])).toEqual([]);
    await granted('with-policies', { mutatingPolicies: true });
    expect(await allowed('with-policies', ofPods, [...guards, ...policies])).toEqual(
      asked([...guards, ...policies]),
    );
  });
});

test('people who may edit a namespace may edit its ConfigRollouts, and those who may view, view them', async () => {
  await kubectlList(
    'apply',
    manifestObjects({}).filter(({ metadata }) => /^trimtab-(view|edit)$/.test(metadata.name ?? '')),
  );
  for (const [user, role] of [
    ['an-editor', 'edit'],
    ['a-viewer', 'view'],
  ] as const)
    await kubectl(engine, ['create', 'rolebinding', user, `--clusterrole=${role}`, `--user=${user}`], {
      namespace: team,
    });
  const rollouts = 'configrollouts.trimtab.dev';
  await waitFor('the roles are aggregated', async () =>
    (await may('an-editor', 'patch', rollouts, { namespace: team })) &&
    (await may('a-viewer', 'get', rollouts, { namespace: team }))
      ? { met: true }
      : { seen: 'not yet' },
  );
  expect(await may('a-viewer', 'patch', rollouts, { namespace: team })).toBe(false);
  expect(await may('an-editor', 'patch', `${rollouts}/status`, { namespace: team })).toBe(false);
});

test('all of it is accepted by the API server, as it is printed', async () => {
  const { code, stdout, stderr } = await kubectl(engine, ['apply', '--dry-run=server', '--filename', '-'], {
    stdin: printManifests({ webhookUrl: 'https://127.0.0.1:9443', reloaderAnnotations: true }),
  });
  // Other tests use server-side apply for some of these objects, and kubectl warns about that. No other warning is
  // allowed.
  const warnings = stderr
    .split('\n')
    .filter((line) => line !== '' && !line.includes('last-applied-configuration'));
  expect([code, warnings]).toEqual([0, []]);
  expect(stdout).toContain(`serviceaccount/${serviceAccountName}`);
  expect(stdout).toContain('mutatingwebhookconfiguration.admissionregistration.k8s.io/trimtab-workloads');
});
