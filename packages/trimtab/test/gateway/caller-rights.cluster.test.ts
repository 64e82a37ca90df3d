import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { clusterRoleFor, role, roleBinding, serviceAccount } from '@trimtab/test-bed/objects/rights.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations } from '../../src/api/names.ts';
import {
  type Call,
  callerNeeds,
  missingText,
  type Need,
  resourceText,
} from '../../src/core/installation/caller-needs.ts';
import type { ConfigKind } from '../../src/core/references/references.ts';
import { rollout } from '../controller/installed-manifests.ts';
import type { Answered } from './support/gateway-scene.ts';
import { VersionsScene } from './support/versions-scene.ts';

let scene: VersionsScene;
let given: Given;

beforeAll(async () => {
  scene = await VersionsScene.start();
  given = new Given(scene.client, scene.namespace);
});

afterAll(() => scene?.close());

/** A call with all its conditions: those of `needs` that hold in the call are named in `when`. */
interface Case {
  call: Call;
  method?: string;
  /** The path after the plural. `{config}` has the versions 1.0.0 and a; `{wild}` is not managed; `{fresh}` does not exist. */
  path: string;
  body?: (name: string, kind: ConfigKind) => object;
  contentType?: string;
  when?: readonly string[];
  headers?: Record<string, string>;
  ours?: boolean;
  /** A config of the name existed, and its ConfigRollout remains. */
  again?: boolean;
}

const unlocked = (name: string, kind: ConfigKind) => ({
  ...{ apiVersion: 'v1', kind },
  metadata: { name, version: '1.0.0', annotations: { [annotations.release]: 'auto' } },
});

const cases: readonly Case[] = [
  { call: 'readCurrent', path: '/{config}/current', when: ['of a managed config'] },
  { call: 'readCurrent', path: '/{wild}/current' },
  { call: 'readVersion', path: '/{config}/a', when: ['of a managed config'] },
  { call: 'readVersion', path: '/{wild}/1.0.0' },
  { call: 'listVersions', path: '/{config}/versions', ours: true },
  { call: 'listVersions', path: '/{wild}/versions', ours: true, when: ['of an unmanaged config'] },
  {
    call: 'diffVersions',
    path: '/{config}/versions/1.0.0/diff/a',
    ours: true,
    when: ['of a managed config'],
  },
  { call: 'diffVersions', path: '/{wild}/versions/1.0.0/diff/1.0.0', ours: true },
  {
    call: 'createConfig',
    method: 'POST',
    path: '/1.0.0',
    body: (name) => ({ metadata: { name } }),
    when: ['of a new or unmanaged config'],
  },
  {
    call: 'createConfig',
    method: 'POST',
    path: '/2.0.0',
    body: (name) => ({ metadata: { name } }),
    again: true,
  },
  { call: 'createConfig', method: 'POST', path: '/{config}', body: () => ({}) },
  { call: 'addVersion', method: 'POST', path: '/{config}/b', body: () => ({}) },
  {
    call: 'addVersion',
    method: 'POST',
    path: '/{wild}/b',
    body: () => ({}),
    when: ['of a new or unmanaged config'],
  },
  { call: 'editConfig', method: 'PUT', path: '/{config}', body: () => ({ metadata: { version: 'b' } }) },
  {
    call: 'editConfig',
    method: 'PATCH',
    path: '/{wild}',
    body: () => ({ metadata: { version: 'b' }, data: { key: 'YQ==' } }),
    contentType: 'application/merge-patch+json',
    when: ['of a new or unmanaged config', 'by PATCH outside of release mode Locked'],
  },
  {
    call: 'editConfig',
    method: 'PATCH',
    path: '/{fresh}?fieldManager=ci',
    body: () => ({ metadata: { version: '1.0.0' } }),
    contentType: 'application/apply-patch+yaml',
    when: ['of a new or unmanaged config'],
  },
  {
    call: 'editConfig',
    method: 'PATCH',
    path: '/{fresh}?fieldManager=ci',
    body: unlocked,
    contentType: 'application/apply-patch+yaml',
    when: ['of a new or unmanaged config', 'by PATCH outside of release mode Locked'],
  },
  {
    call: 'createConfig',
    method: 'POST',
    path: '/1.0.0?dryRun=All',
    body: (name) => ({ metadata: { name } }),
    when: ['of a new or unmanaged config'],
  },
  { call: 'addVersion', method: 'POST', path: '/{config}/b?dryRun=All', body: () => ({}) },
  {
    call: 'addVersion',
    method: 'POST',
    path: '/{wild}/b?dryRun=All',
    body: () => ({}),
    when: ['of a new or unmanaged config'],
  },
  {
    call: 'editConfig',
    method: 'PUT',
    path: '/{config}?dryRun=All',
    body: () => ({ metadata: { version: 'b' } }),
  },
  {
    call: 'editConfig',
    method: 'PATCH',
    path: '/{wild}?dryRun=All',
    body: () => ({ metadata: { version: 'b' }, data: { key: 'YQ==' } }),
    contentType: 'application/merge-patch+json',
    when: ['of a new or unmanaged config', 'by PATCH outside of release mode Locked'],
  },
  {
    call: 'editConfig',
    method: 'PATCH',
    path: '/{fresh}?fieldManager=ci&dryRun=All',
    body: unlocked,
    contentType: 'application/apply-patch+yaml',
    when: ['of a new or unmanaged config', 'by PATCH outside of release mode Locked'],
  },
  {
    call: 'activate',
    method: 'PUT',
    path: '/{config}/current?dryRun=All',
    body: () => ({ version: 'a' }),
    when: ['with dryRun or If-Match, or for a version that an earlier ConfigRollout created'],
  },
  {
    call: 'activate',
    method: 'PUT',
    path: '/{config}/current',
    body: () => ({ version: 'a' }),
    when: ['without dryRun'],
  },
  {
    call: 'activate',
    method: 'PUT',
    path: '/{config}/current',
    body: () => ({ version: 'a' }),
    headers: { 'if-match': '"1.0.0"' },
    when: [
      'without dryRun',
      'with dryRun or If-Match, or for a version that an earlier ConfigRollout created',
    ],
  },
  { call: 'deleteVersion', method: 'DELETE', path: '/{config}/a' },
  { call: 'deleteVersion', method: 'DELETE', path: '/{config}/' },
  { call: 'deleteVersion', method: 'DELETE', path: '/{config}/a?purge=true', when: ['with purge'] },
  { call: 'deleteVersion', method: 'DELETE', path: '/{config}/?purge=true', when: ['with purge'] },
];

let count = 0;

/** A user with exactly these rights. */
async function userWith(needs: readonly Need[]): Promise<string> {
  count += 1;
  const name = `user-${count}`;
  const rules = needs.flatMap((need) => role(name, [need.verb], resourceText(need)).rules);
  await given.objects(
    serviceAccount(name),
    { ...role(name, []), rules },
    roleBinding(name, { serviceAccount: name }),
  );
  return name;
}

/** Makes the call; each call gets configs of its own. */
async function prepared(
  kind: ConfigKind,
  { method, path, body, contentType, headers, ours, again }: Case,
): Promise<(who: string) => Promise<Answered>> {
  count += 1;
  const plural = kind === 'Secret' ? 'secrets' : 'configmaps';
  const [config, wild, fresh] = [`config-${count}`, `wild-${count}`, `fresh-${count}`];
  if (path.includes('{config}')) {
    await scene.as('alice', 'POST', `${plural}/1.0.0`, { metadata: { name: config } });
    await scene.as('alice', 'POST', `${plural}/${config}/a`, {});
  }
  if (again) {
    await scene.as('alice', 'POST', `${plural}/1.0.0`, { metadata: { name: fresh } });
    await scene.as('alice', 'DELETE', `${plural}/${fresh}`);
  }
  if (path.includes('{wild}')) await given.object(kind === 'Secret' ? secret(wild, {}) : configMap(wild));
  const api = ours ? '/apis/trimtab.dev/v1alpha1' : '/api/v1';
  const rest = path.replace('{config}', config).replace('{wild}', wild).replace('{fresh}', fresh);
  return (who) =>
    scene.gateway.call(
      { serviceAccount: who, namespace: scene.namespace },
      {
        ...(method && { method }),
        path: `${api}/namespaces/${scene.namespace}/${plural}${rest}`,
        ...(body && { body: body(fresh, kind) }),
        ...(contentType && { contentType }),
        ...(headers && { headers }),
      },
    );
}

const kinds: readonly ConfigKind[] = ['ConfigMap', 'Secret'];

describe.each(kinds)('%s', (kind) => {
  test.each(cases)(
    '$call $path succeeds with the rights of the table, and fails without any of them',
    async (each) => {
      const { needs, grantedBy } = callerNeeds(kind)[each.call];
      const wanted = needs.filter(({ when }) => when === undefined || each.when?.includes(when));
      for (const missing of wanted) {
        const call = await prepared(kind, each);
        const who = await userWith(wanted.filter((need) => need !== missing));
        const text = missingText(missing, scene.namespace);
        await waitFor(`${who} is told: ${text}`, async () => {
          const { status, json } = await call(who);
          expect(status).toBe(403);
          return json.message.includes(text) ? { met: true } : { seen: json.message };
        });
        const { json } = await call(who);
        expect(json).toMatchObject({ kind: 'Status', reason: 'Forbidden' });
        expect(json.message).toContain(grantedBy.map((name) => `"${name}"`).join(' or '));
      }
      const call = await prepared(kind, each);
      const who = await userWith(wanted);
      await waitFor('the call succeeds', async () => {
        const { status, text } = await call(who);
        return status < 300 ? { met: true } : { seen: text };
      });
    },
  );

  test.each(Object.keys(callerNeeds(kind)) as Call[])('the roles of %s grant what it needs', async (call) => {
    const { needs, grantedBy } = callerNeeds(kind)[call];
    for (const granting of grantedBy) {
      count += 1;
      const name = `bound-${count}`;
      await given.object(clusterRoleFor(granting, name, { serviceAccount: name }));
      for (const { verb, group, resource } of needs)
        await waitFor(`${granting} grants ${verb} on ${resource}`, async () => {
          const review = await scene.client.raw<{ status: { allowed: boolean } }>({
            method: 'POST',
            path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
            body: {
              apiVersion: 'authorization.k8s.io/v1',
              kind: 'SubjectAccessReview',
              spec: {
                user: `system:serviceaccount:${scene.namespace}:${name}`,
                resourceAttributes: { verb, group, resource, namespace: scene.namespace },
              },
            },
          });
          return review.status.allowed ? { met: true } : { seen: 'it does not' };
        });
    }
  });
});

test('the right to read a ConfigMap is enough for the current version of an unmanaged one, and of no other', async () => {
  const plain = [{ verb: 'get', group: '', resource: 'configmaps' }];
  const who = await userWith(plain);
  const wild = await prepared('ConfigMap', { call: 'readCurrent', path: '/{wild}/current' });
  await waitFor('the content is read', async () => {
    const { status, json, text } = await wild(who);
    return status === 200 && json.metadata.version === '1.0.0' ? { met: true } : { seen: text };
  });
  const managed = await prepared('ConfigMap', { call: 'readCurrent', path: '/{config}/current' });
  const missing = `needs "get" on configrollouts.trimtab.dev in namespace "${scene.namespace}"`;
  const refused = await managed(who);
  expect(refused.json.message).toContain(missing);
  expect(refused.status).toBe(403);

  const unlabelled = await prepared('ConfigMap', { call: 'readCurrent', path: '/{wild}/current' });
  await scene.client.create(configRollouts, rollout('ConfigMap', `wild-${count}`, scene.namespace));
  await waitFor('the gateway knows the ConfigRollout', async () => {
    const { status, text } = await unlabelled(who);
    return status === 403 && text.includes('configrollouts.trimtab.dev in namespace')
      ? { met: true }
      : { seen: text };
  });
});

test('a refusal that no right would prevent names no right', async () => {
  const call = await prepared('ConfigMap', {
    call: 'addVersion',
    method: 'POST',
    path: '/{config}/b',
    body: () => ({}),
  });
  await given.object({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'full' },
    spec: { hard: { 'count/configmaps': '0' } },
  } as never);
  await waitFor('the quota is exceeded', async () => {
    const { status, json } = await call('alice');
    if (status !== 403) return { seen: `${status}` };
    expect(json.message).toContain('exceeded quota');
    expect(json.message).not.toContain('needs');
    return { met: true };
  });
});
