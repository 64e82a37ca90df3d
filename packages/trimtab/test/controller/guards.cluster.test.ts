import type { KubeClient } from '@trimtab/kube/client.ts';
import { configMaps, secrets } from '@trimtab/kube/resource.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels, versionSecretType } from '../../src/api/names.ts';
import { type GuardScene, openGuardScene, withVersion } from './guards-scene.ts';
import { patchOf, refusalOf, rollout, type VersionShape } from './installed-manifests.ts';

let scene: GuardScene;

beforeAll(async () => {
  scene = await openGuardScene();
});

afterAll(() => scene?.close());

describe('who may not update a config', () => {
  const made = (who: KubeClient, name: string, shape: VersionShape = {}) =>
    refusalOf(who.create(configMaps, scene.fresh({ config: name, ...shape })));

  test('cannot make a version of it, and who may, can', async () => {
    const mark = await scene.engine.auditLog().mark();
    expect(await made(scene.rita, 'foo')).toContain("user 'rita' cannot create a version of 'foo'");
    expect(await made(scene.rita, 'bar')).toBeUndefined();
    expect(await made(scene.anna, 'foo')).toBeUndefined();
    const seen = (await scene.engine.auditLog().since(mark)).filter(
      ({ verb, namespace, user }) =>
        verb === 'create' && namespace === scene.namespace && ['rita', 'anna'].includes(user),
    );
    expect(seen.map(({ user, resource, code }) => [user, resource, code])).toEqual([
      ['rita', 'configmaps', 403],
      ['rita', 'configmaps', 201],
      ['anna', 'configmaps', 201],
    ]);
  });

  test('cannot make one under a false flag', async () => {
    const flags: VersionShape[] = [
      { labels: { [labels.config]: 'foo' } },
      { annotations: { [annotations.config]: 'foo' } },
      { annotations: { [annotations.config]: '' } },
    ];
    for (const flag of flags) expect(await made(scene.rita, 'bar', flag)).toBeDefined();
  });

  test('cannot make one of a Secret, either', async () => {
    const { metadata } = scene.fresh({ config: 'password' });
    const forged = { ...secret('', { value: 'mine' }), metadata, type: versionSecretType, immutable: true };
    expect(await refusalOf(scene.rita.create(secrets, forged))).toContain(
      "permission to update secrets 'password'",
    );
    expect(await refusalOf(scene.anna.create(secrets, forged))).toBeUndefined();
    const relabelled = patchOf({ labels: { [labels.state]: 'current' } });
    const attempt = scene.anna.patch(secrets, scene.where(metadata.name ?? ''), relabelled);
    expect(await refusalOf(attempt)).toContain('only Trimtab writes them');
  });

  test('cannot turn an object that is there into one', async () => {
    await scene.rita.create(configMaps, { ...configMap('plain'), metadata: scene.where('plain') });
    const { labels: marks, annotations: notes } = scene.fresh().metadata;
    expect(await scene.patched(scene.rita, 'plain', { labels: marks, annotations: notes })).toContain(
      'only Trimtab writes them',
    );
  });

  test('cannot activate through the ConfigRollout, in any way', async () => {
    const mark = await scene.engine.auditLog().mark();
    const name = scene.where('configmap-foo');
    const attempts = [
      () => scene.rita.patch(configRollouts, name, withVersion('1.0.0')),
      () => scene.rita.patch(configRollouts, name, { type: 'merge', body: { spec: { release: 'Manual' } } }),
      ...[annotations.ledger, annotations.retry, annotations.abort, annotations.skipBake].map(
        (each) => () => scene.rita.patch(configRollouts, name, patchOf({ annotations: { [each]: '{}' } })),
      ),
      () =>
        scene.rita.patch(
          configRollouts,
          name,
          patchOf({ ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' }] }),
        ),
      () =>
        scene.rita.patch(
          configRollouts,
          name,
          { type: 'merge', body: { status: { observed: { specVersion: 'x' } } } },
          { subresource: 'status' },
        ),
      () => scene.rita.delete(configRollouts, name),
      () => scene.rita.create(configRollouts, rollout('Secret', 'other', scene.namespace)),
      () => scene.rita.patch(configRollouts, scene.where('secret-password'), withVersion('1.0.0')),
    ];
    for (const attempt of attempts) expect(await refusalOf(attempt())).toContain("user 'rita' cannot change");
    const seen = (await scene.engine.auditLog().since(mark)).filter(
      ({ user, namespace }) => user === 'rita' && namespace === scene.namespace,
    );
    expect(seen.map(({ code }) => code)).toEqual(attempts.map(() => 403));
  });

  test('may still move what they may update, and label what they see', async () => {
    expect(
      await refusalOf(scene.rita.patch(configRollouts, scene.where('configmap-bar'), withVersion('1.0.0'))),
    ).toBeUndefined();
    expect(
      await refusalOf(
        scene.rita.patch(configRollouts, scene.where('configmap-foo'), patchOf({ labels: { team: 'a' } })),
      ),
    ).toBeUndefined();
    expect(
      await refusalOf(scene.anna.patch(configRollouts, scene.where('configmap-foo'), withVersion('1.0.0'))),
    ).toBeUndefined();
  });
});

describe('a version that a person makes', () => {
  const tries = (shape: VersionShape, mod?: (object: ReturnType<GuardScene['fresh']>) => void) => {
    const object = scene.fresh(shape);
    mod?.(object);
    return refusalOf(scene.anna.create(configMaps, object));
  };

  test('says nothing that only Trimtab can know', async () => {
    expect(await tries({ state: 'current' })).toContain('not-current');
    expect(await tries({ labels: { [labels.inUse]: 'true' } })).toContain('not in use');
    expect(await tries({ annotations: { [annotations.rejected]: '{}' } })).toContain('not rejected');
    expect(await tries({ annotations: { [annotations.createdBy]: 'bob' } })).toContain("must be 'anna'");
    expect(await tries({ annotations: { [annotations.createdBy]: 'anna' } })).toBeUndefined();
  });

  test('is immutable from its birth', async () => {
    expect(await tries({}, (object) => delete object.immutable)).toContain('immutable');
  });

  test('is restored from a backup by those who may write what Trimtab writes', async () => {
    const shape = { state: 'current', annotations: { [annotations.createdBy]: 'bob' } };
    const restored = scene.fresh(shape);
    expect(await refusalOf(scene.admin.create(configMaps, restored))).toBeUndefined();
  });
});

test('the data of a locked config is refused, also by kubectl; the rest may change, and unlocking helps', async () => {
  await new Given(scene.admin, scene.namespace).object(configMap('lock', { color: 'blue' }));
  await scene.trimtab.patch(
    configMaps,
    scene.where('lock'),
    patchOf({ labels: { [labels.config]: 'lock', [labels.locked]: 'true' } }),
  );
  const edit = ['patch', 'configmap', 'lock', '--type=merge', '--patch', '{"data":{"color":"red"}}'];
  await waitFor('the lock works', async () => {
    const { code, stderr } = await kubectl(scene.engine, [...edit, '--dry-run=server'], {
      namespace: scene.namespace,
    });
    return code !== 0 && stderr.includes("ConfigMap 'lock' is locked") ? { met: true } : { seen: stderr };
  });
  for (const label of [labels.config, labels.locked])
    expect(await scene.patched(scene.anna, 'lock', { labels: { [label]: null } })).toContain('is locked');
  expect(await scene.patched(scene.anna, 'lock', { annotations: { note: 'mine' } })).toBeUndefined();
  const current = { type: 'merge', body: { data: { color: 'green' } } } as const;
  expect(await refusalOf(scene.trimtab.patch(configMaps, scene.where('lock'), current))).toBeUndefined();
  expect(
    await refusalOf(
      scene.anna.patch(configMaps, scene.where('foo'), { type: 'merge', body: { data: { color: 'red' } } }),
    ),
  ).toBeUndefined();
  await scene.trimtab.patch(configMaps, scene.where('lock'), patchOf({ labels: { [labels.locked]: null } }));
  await waitFor('the lock is off', async () => {
    const { code, stderr } = await kubectl(scene.engine, edit, { namespace: scene.namespace });
    return code === 0 ? { met: true } : { seen: stderr };
  });
});
