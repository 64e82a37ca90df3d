import { configMaps } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { role, roleBinding } from '@trimtab/test-bed/objects/rights.ts';
import { afterAll, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations } from '../../src/api/names.ts';
import { refusalOf, version } from '../controller/installed-manifests.ts';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const web = () => deployment('web', mountingConfigMap('foo', '/etc/foo'), managed);
const wish = (wanted: string | null, mods: object = {}) => [
  'patch',
  'configrollout/configmap-foo',
  '--type=merge',
  `--patch=${JSON.stringify({ ...mods, spec: { version: wanted } })}`,
];
const recolor = (color: string) => [
  'patch',
  'configmap/foo',
  '--type=merge',
  `--patch=${JSON.stringify({ data: { color } })}`,
];
const signedBy = (by: string, wanted: string) => ({
  metadata: { annotations: { [annotations.requestedBy]: by, [annotations.requestedVersion]: wanted } },
});

/** anna and otto may update foo. rita may create configs and edit ConfigRollouts, but may not update foo. */
async function people(it: ReleaseStory): Promise<void> {
  const all = ['get', 'list', 'create', 'update', 'patch', 'delete'];
  await it.given.objects(
    role('editor', all, 'configmaps', 'configrollouts.trimtab.dev'),
    roleBinding('editor', { user: 'anna' }),
    { ...roleBinding('editor', { user: 'otto' }), metadata: { name: 'editor-otto' } },
    role('roller', all, 'configrollouts.trimtab.dev'),
    roleBinding('roller', { user: 'rita' }),
    role('maker', ['get', 'list', 'create'], 'configmaps'),
    roleBinding('maker', { user: 'rita' }),
  );
}

test('history names the person who asked for a version, and the program behind an edit', async () => {
  await using it = await installedStory(engine);
  await it.shortBake(['foo'], { bakeSeconds: 0 });
  await people(it);
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  await settled(it, '1.0.0', ['web']);
  const [anna, otto] = [await it.when.by({ user: 'anna' }), await it.when.by({ user: 'otto' })];
  const last = async (current: string) => (await settled(it, current, ['web'])).status?.history?.[0];

  await otto.kubectl(...recolor('green'));
  expect(await last('1.0.1')).toMatchObject({ version: '1.0.1', by: 'kubectl-patch (field manager)' });
  await anna.kubectl(...wish('1.0.0'));
  expect(await last('1.0.0')).toMatchObject({ version: '1.0.0', result: 'Current', by: 'anna' });
  await otto.kubectl(...wish('1.0.1'));
  expect(await last('1.0.1')).toMatchObject({ version: '1.0.1', by: 'otto' });
  expect((await it.rollout()).metadata.annotations).toMatchObject({
    [annotations.requestedBy]: 'otto',
    [annotations.requestedVersion]: '1.0.1',
  });

  // A change of another field does not change the requester.
  await anna.kubectl(
    'patch',
    'configrollout/configmap-foo',
    '--type=merge',
    '--patch={"spec":{"historyLimit":5}}',
  );
  expect((await it.rollout()).metadata.annotations?.[annotations.requestedBy]).toBe('otto');
  await anna.kubectl(...wish(null));
  expect((await it.rollout()).metadata.annotations?.[annotations.requestedBy]).toBeUndefined();

  // An edit that supersedes spec.version clears the field and the requester.
  await anna.kubectl(...wish('1.0.0'));
  await settled(it, '1.0.0', ['web']);
  await otto.kubectl(...recolor('red'));
  expect(await last('1.0.2')).toMatchObject({ by: 'kubectl-patch (field manager)' });
  const { spec, metadata } = await it.rollout();
  expect([spec.version, metadata.annotations?.[annotations.requestedBy]]).toEqual([undefined, undefined]);
});

test('nobody asks in the name of somebody else, with the webhook or without', async () => {
  await using it = await installedStory(engine);
  await it.shortBake(['foo'], { bakeSeconds: 0 });
  await people(it);
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  await settled(it, '1.0.0', ['web']);
  const [anna, otto] = [await it.when.by({ user: 'anna' }), await it.when.by({ user: 'otto' })];
  await otto.kubectl(...recolor('green'));
  await settled(it, '1.0.1', ['web']);

  // The webhook replaces a forged requester. Without a change of spec.version, the policy denies a forged requester.
  await otto.kubectl(...wish('1.0.0', signedBy('anna', '1.0.0')));
  const { status } = await settled(it, '1.0.0', ['web']);
  expect(status?.history?.[0]?.by).toBe('otto');
  await expect(
    otto.kubectl('annotate', 'configrollout/configmap-foo', `${annotations.requestedBy}=anna`, '--overwrite'),
  ).rejects.toThrow(/must be 'otto', the user of this request: omit the annotation/);

  await anna.kubectl(...wish('1.0.1'));
  await settled(it, '1.0.1', ['web']);
  await it.controller.stop();
  await expect(otto.kubectl(...wish('1.0.0', signedBy('anna', '1.0.0')))).rejects.toThrow(/must be 'otto'/);
  // Without the webhook, requests still work, and the recorded requester anna must not be attributed to another
  // request.
  await otto.kubectl(...wish('1.0.0'));
  await expect(otto.kubectl(...wish('1.0.1'))).rejects.toThrow(
    /would name 'anna' as the requester of version '1.0.1'/,
  );
  await it.controllerRestarts();
  const after = await settled(it, '1.0.0', ['web']);
  expect(after.status?.history?.[0]).toMatchObject({ version: '1.0.0', by: 'kubectl-patch (field manager)' });
});

test.runIf(engine.capabilities.auditLog)(
  'who may not update foo neither activates nor forges a version; the audit log tells them apart',
  async () => {
    await using it = await installedStory(engine);
    await it.shortBake(['foo'], { bakeSeconds: 0 });
    await people(it);
    await it.given.objects(configMap('foo', { color: 'blue' }), web());
    const { metadata } = await settled(it, '1.0.0', ['web']);
    const [rita, anna] = [await engine.connect({ user: 'rita' }), await engine.connect({ user: 'anna' })];
    await (await it.when.by({ user: 'anna' })).kubectl(...recolor('green'));
    await settled(it, '1.0.1', ['web']);

    const mark = await engine.auditLog().mark();
    const where = { namespace: it.namespace, name: 'configmap-foo' };
    const back = { type: 'merge' as const, body: { spec: { version: '1.0.0' } } };
    const forged = (name: string) =>
      version(name, it.namespace, {
        rolloutUid: metadata.uid ?? '',
        annotations: { [annotations.version]: name, [annotations.sequence]: '9' },
      });
    expect(await refusalOf(rita.patch(configRollouts, where, back))).toMatch(/'rita' cannot change.*'foo'/);
    expect(await refusalOf(rita.create(configMaps, forged('foo-by-rita')))).toMatch(
      /'rita' cannot create a version of 'foo'/,
    );
    await anna.create(configMaps, forged('foo-by-anna'));
    await anna.patch(configRollouts, where, back);
    await settled(it, '1.0.0', ['web']);
    const seen = (await engine.auditLog().since(mark))
      .filter(({ user, verb }) => ['anna', 'rita'].includes(user) && verb !== 'get')
      .map(({ user, verb, resource, code }) => `${user} ${verb} ${resource}: ${code}`);
    expect(seen).toEqual([
      'rita patch configrollouts: 403',
      'rita create configmaps: 403',
      'anna create configmaps: 201',
      'anna patch configrollouts: 200',
    ]);
    expect([...(await it.copies()).keys()].sort()).toEqual(['1.0.0', '1.0.1', 'foo-by-anna']);
  },
);

test('without a webhook, the field manager is all there is to tell', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo'], { bakeSeconds: 0 });
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  await settled(it, '1.0.0', ['web']);
  await it.when.kubectl(...recolor('green'), '--field-manager=argocd-controller');
  const edited = await settled(it, '1.0.1', ['web']);
  expect(edited.status?.history?.[0]?.by).toBe('argocd-controller (field manager)');
  await it.when.kubectl(...wish('1.0.0'));
  const asked = await settled(it, '1.0.0', ['web']);
  expect(asked.status?.history?.[0]?.by).toBe('kubectl-patch (field manager)');
});
