import { configMaps, secrets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { emptyLedger, formatLedger, type Ledger, recordDeletions } from '../../src/core/version/ledger.ts';
import { type GuardScene, openGuardScene } from './guards-scene.ts';
import { patchOf, refusalOf } from './installed-manifests.ts';

let scene: GuardScene;

beforeAll(async () => {
  scene = await openGuardScene();
});

afterAll(() => scene?.close());

describe('a version', () => {
  test('keeps its data, whoever asks', async () => {
    const name = await scene.given();
    const change = { type: 'merge' as const, body: { data: { color: 'red' } } };
    for (const who of [scene.admin, scene.anna, scene.trimtab])
      expect(await refusalOf(who.patch(configMaps, scene.where(name), change))).toMatch(/immutable/);
    const loosen = { type: 'merge' as const, body: { immutable: false } };
    expect(await refusalOf(scene.admin.patch(configMaps, scene.where(name), loosen))).toMatch(/immutable/);
  });

  test.each([
    ['state', { labels: { [labels.state]: 'current' } }],
    ['membership', { labels: { [labels.versionOf]: null } }],
    ['group', { labels: { [labels.config]: 'bar' } }],
    ['use', { labels: { [labels.inUse]: 'true' } }],
    ['name', { annotations: { [annotations.version]: '9.9.9' } }],
    ['label of the name', { labels: { [labels.version]: '9.9.9' } }],
    ['rejection', { annotations: { [annotations.rejected]: '{}' } }],
    ['hash', { annotations: { [annotations.contentHash]: null } }],
    ['owners', { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'gone' }] }],
  ])('has its %s changed by Trimtab only', async (_, metadata) => {
    const name = await scene.given();
    for (const who of [scene.admin, scene.anna])
      expect(await scene.patched(who, name, metadata)).toContain('only Trimtab writes them');
    expect(await scene.patched(scene.trimtab, name, metadata)).toBeUndefined();
  });

  test('is created with the label of its own name, or with none', async () => {
    const create = (label: string | undefined) => {
      const object = scene.fresh({ annotations: { [annotations.version]: '1.0.0' } });
      object.metadata.labels = { ...object.metadata.labels, ...(label && { [labels.version]: label }) };
      return refusalOf(scene.anna.create(configMaps, object));
    };
    expect(await create('9.9.9')).toMatch(/label trimtab\.dev\/version of a version must be .*'1\.0\.0'/);
    expect(await create('1.0.0')).toBeUndefined();
    expect(await create(undefined)).toBeUndefined();
  });

  test('of a Secret has the type of versions, and stands for no Secret that cannot have any', async () => {
    const create = (type: string, originalType = 'Opaque') => {
      const { metadata } = scene.fresh({ config: 'password' });
      Object.assign(metadata.annotations ?? {}, { [annotations.originalType]: originalType });
      const object = { apiVersion: 'v1', kind: 'Secret', metadata, type, immutable: true } as KubeObject;
      return refusalOf(scene.anna.create(secrets, object));
    };
    expect(await create('Opaque')).toContain('the version of a Secret must have type trimtab.dev/version');
    expect(await create('bootstrap.kubernetes.io/token')).toContain('must have type trimtab.dev/version');
    for (const type of ['kubernetes.io/service-account-token', 'bootstrap.kubernetes.io/token'])
      expect(await create('trimtab.dev/version', type)).toContain(`cannot be '${type}'`);
    expect(await create('trimtab.dev/version')).toBeUndefined();
  });

  test('may carry labels and annotations of other people', async () => {
    const name = await scene.given();
    expect(
      await scene.patched(scene.anna, name, { labels: { team: 'a' }, annotations: { note: 'b' } }),
    ).toBeUndefined();
  });

  test.each([
    [{ state: 'current' }, 'is current'],
    [{ labels: { [labels.inUse]: 'true' } }, 'is in use'],
    [{ state: 'rejected', labels: { [labels.inUse]: 'true' } }, 'is in use'],
  ])('with %j is not deleted, by a person or a collection', async (shape, why) => {
    const name = await scene.given(shape);
    expect(await refusalOf(scene.admin.delete(configMaps, scene.where(name)))).toContain(why);
    const foreground = { propagationPolicy: 'Foreground' as const };
    expect(await refusalOf(scene.anna.delete(configMaps, scene.where(name), foreground))).toContain(why);
    const all = scene.admin.raw({
      method: 'DELETE',
      path: `/api/v1/namespaces/${scene.namespace}/configmaps`,
      query: { fieldSelector: `metadata.name=${name}` },
    });
    expect(await refusalOf(all)).toContain(why);
    expect(await refusalOf(scene.trimtab.delete(configMaps, scene.where(name)))).toBeUndefined();
  });

  test('that nothing needs may be deleted as soon as the ledger records it, and not before', async () => {
    const rollout = scene.where('configmap-foo');
    for (const shape of [{ state: 'not-current' }, { state: 'rejected' }]) {
      const object = scene.fresh(shape);
      const { metadata } = await scene.trimtab.create(configMaps, object);
      const where = scene.where(metadata.name ?? '');
      expect(await refusalOf(scene.anna.delete(configMaps, where))).toContain(
        `version '${where.name}' cannot be deleted: ConfigRollout 'configmap-foo' does not record the deletion`,
      );
      const version = { name: 'mine', sequence: 1, object: where.name, uid: metadata.uid ?? '' };
      const other = recordDeletions(emptyLedger, [{ ...version, name: 'other', uid: 'other-uid' }], []);
      await scene.trimtab.patch(configRollouts, rollout, ledgerPatch(other));
      expect(await refusalOf(scene.anna.delete(configMaps, where)), 'another object of that name').toContain(
        'does not record the deletion',
      );
      await scene.trimtab.patch(configRollouts, rollout, ledgerPatch(recordDeletions(other, [version], [])));
      // API servers read the ledger from a watch.
      await waitFor('the guard knows the ledger', async () => {
        const refusal = await refusalOf(scene.anna.delete(configMaps, where));
        return refusal === undefined ? { met: true } : { seen: refusal };
      });
    }
  });

  test('in use is deleted only by the user who has marked it for a purge, and not before the ledger records it', async () => {
    const name = await scene.given({ labels: { [labels.inUse]: 'true' } });
    const mark = (user: string | null) => ({ annotations: { [annotations.purge]: user } });
    expect(await scene.patched(scene.anna, name, mark('rita'))).toContain("must be 'anna'");
    expect(await scene.patched(scene.anna, name, mark('anna'))).toBeUndefined();
    expect(await scene.patched(scene.anna, name, { annotations: { note: 'b' } })).toBeUndefined();
    expect(await refusalOf(scene.admin.delete(configMaps, scene.where(name)))).toContain('is in use');
    const early = await refusalOf(scene.anna.delete(configMaps, scene.where(name)));
    expect(early).toContain('does not record the deletion');
    expect(await scene.patched(scene.anna, name, mark(null))).toBeUndefined();
    expect(await refusalOf(scene.anna.delete(configMaps, scene.where(name)))).toContain('is in use');

    const its = 'configmap-foo';
    const { metadata } = await scene.admin.get(configRollouts, scene.where(its));
    const { kind } = configRollouts;
    const owner = { apiVersion: 'trimtab.dev/v1alpha1', kind, name: its, uid: metadata.uid ?? '' };
    const current = await scene.given({ state: 'current', ownerReferences: [owner] });
    expect(await scene.patched(scene.anna, current, mark('anna'))).toBeUndefined();
    expect(await refusalOf(scene.anna.delete(configMaps, scene.where(current)))).toContain('is current');
  });

  test('that was current when its ConfigRollout was deleted can be purged', async () => {
    const left = await scene.given({ state: 'current', rolloutUid: 'uid-of-a-deleted-rollout' });
    expect(await refusalOf(scene.anna.delete(configMaps, scene.where(left)))).toContain('is current');
    const mark = { annotations: { [annotations.purge]: 'anna' } };
    expect(await scene.patched(scene.anna, left, mark)).toBeUndefined();
    expect(await refusalOf(scene.admin.delete(configMaps, scene.where(left)))).toContain('is current');
    expect(await refusalOf(scene.anna.delete(configMaps, scene.where(left)))).toBeUndefined();
  });

  test('whose rollout is gone may be deleted', async () => {
    const name = await scene.given({ rolloutUid: 'uid-of-a-deleted-rollout' });
    expect(await refusalOf(scene.anna.delete(configMaps, scene.where(name)))).toBeUndefined();
  });
});

function ledgerPatch(ledger: Ledger) {
  return patchOf({ annotations: { [annotations.ledger]: formatLedger(ledger) } });
}

test('the API server finds nothing to complain about in any guard', async () => {
  const { stdout } = await kubectl(scene.engine, ['get', 'validatingadmissionpolicies', '--output=json']);
  const { items } = JSON.parse(stdout) as {
    items: { metadata: { name: string }; status?: { typeChecking?: { expressionWarnings?: unknown } } }[];
  };
  const ours = items.filter(({ metadata }) => metadata.name.startsWith(`trimtab-${scene.namespace}-`));
  expect(ours).toHaveLength(7);
  for (const { status } of ours) expect(status?.typeChecking?.expressionWarnings).toBeUndefined();
});
