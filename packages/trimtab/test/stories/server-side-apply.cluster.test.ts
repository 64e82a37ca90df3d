import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated, type Mod } from '@trimtab/test-bed/objects/build.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import {
  envFromConfigMap,
  envFromKey,
  mountingConfigMap,
  mountingSecret,
} from '@trimtab/test-bed/objects/pod-template.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { annotations, labels } from '../../src/api/names.ts';
import { installation } from '../../src/controller/manifests/installation.ts';
import { managedFieldsOf } from '../../src/core/managed-fields/managed-fields.ts';
import { referenceOwners } from '../../src/core/managed-fields/reference-owners.ts';
import { templateReferences } from '../../src/core/references/references.ts';
import { installedStory, policyStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { usualWay } from '../support/reference-ways.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { conditionOf, lineOf, settled } from '../support/settled.ts';
import { type App, runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const app: App = ({ color }) => (color === 'broken' ? { crashes: 'no such color', exitCode: 3 } : 'works');

/** References in all fields that an API server tracks differently. */
const everyWay = [
  mountingConfigMap('foo', '/etc/foo'),
  mountingSecret('bar', '/etc/bar'),
  projecting('foo'),
  envFromKey('COLOR', 'foo', 'color'),
  envFromConfigMap('foo'),
];
const web = (...mods: Mod<Deployment>[]) => deployment('web', managed, ...everyWay, ...mods);

/** With the webhook or the policy, admission changes references; else the controller does and gives the fields back. */
const installations: [string, { start: () => Promise<ReleaseStory>; isByAdmission: boolean }][] = [
  ['with the webhook', { start: () => installedStory(engine), isByAdmission: true }],
  ['with the mutating policy', { start: () => policyStory(engine), isByAdmission: true }],
  ['without admission', { start: () => ReleaseStory.start(engine), isByAdmission: false }],
];
/** The controller logs this when it writes references itself although it expects admission to do so. */
const fallback = 'references were not changed at admission';

describe.each(installations)(
  'a manifest that is applied server-side, unforced, %s',
  (_, { start, isByAdmission }) => {
    test('never conflicts, and what it drops is gone: after an edit, a rollback and an opt-out', async () => {
      await using it = await start();
      await using _ = await SimulatedApp.start(it.client, it.namespace, app);
      await given(it);
      const apply = (object: Deployment) => it.when.appliedByServer(object, '--field-manager', 'helm');
      await apply(web(runningTheApp));
      await settled(it, '1.0.0', ['web']);
      await fieldsAreOf(it, 'helm');
      await apply(web(runningTheApp));

      await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
      const second = await settled(it, '1.0.1', ['web']);
      await fieldsAreOf(it, 'helm');
      await apply(web(runningTheApp));
      await settled(it, '1.0.1', ['web']);
      await namesOnly(it, second.status?.current?.object);

      await it.when.edited(configMaps, 'foo', withData({ color: 'broken' }));
      await it.rolloutIs('it has rolled back', ({ phase }) => phase === 'Failed');
      await fieldsAreOf(it, 'helm');
      await apply(web(runningTheApp));
      await it.rolloutIs('web is healthy', (status) => lineOf(status, 'web')?.state === 'Healthy');
      await namesOnly(it, second.status?.current?.object);

      await apply(deployment('web', managed, runningTheApp, mountingConfigMap('foo', '/etc/foo')));
      await it.eventually<Deployment>('only the volume is left', deployments, 'web', (object) => {
        const names = referencesOf(object).map(({ name }) => name);
        return names.length === 1 && names[0] === second.status?.current?.object;
      });

      await apply(web(runningTheApp, unmanaged));
      await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
      await it.eventually<Deployment>('web reads the live config', deployments, 'web', (object) =>
        referencesOf(object).every(({ kind, name }) => name === (kind === 'Secret' ? 'bar' : 'foo')),
      );
      await fieldsAreOf(it, 'helm');
      await apply(web(runningTheApp, unmanaged));
      if (isByAdmission) expect(it.controller.log).not.toContain(fallback);
    });

    test('owns its references through a pin, and after it', async () => {
      await using it = await start();
      await given(it);
      const apply = () => it.when.appliedByServer(web(), '--field-manager', 'helm');
      await apply();
      const blue = (await settled(it, '1.0.0', ['web'])).status?.current?.object;
      await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
      const green = (await settled(it, '1.0.1', ['web'])).status?.current?.object;
      const pins = (value: string | null) => it.annotates(deployments, 'web', { [annotations.pin]: value });
      await pins(`configmap/foo=${blue}`);
      await namesOnly(it, blue);
      await fieldsAreOf(it, 'helm');
      await apply();
      await namesOnly(it, blue);
      await pins(null);
      await namesOnly(it, green);
      await fieldsAreOf(it, 'helm');
      await apply();
      await namesOnly(it, green);
    });

    test('takes over from client-side apply by the migration of kubectl', async () => {
      await using it = await start();
      await given(it);
      await it.when.applied(web());
      await settled(it, '1.0.0', ['web']);
      await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
      const second = await settled(it, '1.0.1', ['web']);
      // Where admission writes the versions, the fields stay with kubectl.
      if (usualWay === 'template') await nobodyUpdated(it);
      await it.when.appliedByServer(web());
      await settled(it, '1.0.1', ['web']);
      await namesOnly(it, second.status?.current?.object);
      await it.when.edited(configMaps, 'foo', withData({ color: 'red' }));
      await settled(it, '1.0.2', ['web']);
      await it.when.appliedByServer(web());
    });

    test('shares the object with an autoscaler, whose entry stays as it is', async () => {
      await using it = await start();
      await given(it);
      await it.when.appliedByServer(web(), '--field-manager', 'helm');
      await settled(it, '1.0.0', ['web']);
      await it.when.kubectl('scale', 'deployment/web', '--replicas=2');
      const scaled = await it.object<Deployment>(deployments, 'web');
      await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
      await settled(it, '1.0.1', ['web']);
      await fieldsAreOf(it, 'helm');
      await it.when.appliedByServer(web(withoutReplicas), '--field-manager', 'helm');
      const object = await it.object<Deployment>(deployments, 'web');
      expect(object.spec.replicas).toBe(2);
      expect(scaleEntry(object)).toEqual(scaleEntry(scaled));
      expect(scaleEntry(scaled)).toMatchObject({ operation: 'Update', subresource: 'scale' });
    });

    test('goes through when the object has more writers than an API server tracks', async () => {
      await using it = await start();
      await given(it);
      await it.when.appliedByServer(web(), '--field-manager', 'helm');
      await settled(it, '1.0.0', ['web']);
      for (let writer = 0; writer < 12; writer++)
        await it.client.patch(
          deployments,
          { namespace: it.namespace, name: 'web' },
          { type: 'merge', body: { metadata: { annotations: { [`writer-${writer}`]: 'was here' } } } },
          { fieldManager: `writer-${writer}` },
        );
      const written = await it.object<Deployment>(deployments, 'web');
      expect(managedFieldsOf(written).map(({ manager }) => manager)).toContain('ancient-changes');
      await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
      await settled(it, '1.0.1', ['web']);
      await fieldsAreOf(it, 'helm');
      await it.when.appliedByServer(web(), '--field-manager', 'helm');
    });
  },
);

test('a webhook that is away for a while costs no conflict', async () => {
  await using it = await installedStory(engine);
  await given(it);
  await it.when.appliedByServer(web(), '--field-manager', 'helm');
  await settled(it, '1.0.0', ['web']);
  await webhookIsAway(it);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  const { status } = await settled(it, '1.0.1', ['web']);
  await fieldsAreOf(it, 'helm');
  if (usualWay === 'template') expect(it.controller.log).toContain(fallback);
  expect((await it.object<Deployment>(deployments, 'web')).metadata.annotations).not.toHaveProperty(
    annotations.move,
  );
  await it.when.appliedByServer(web(), '--field-manager', 'helm');
  await namesOnly(it, status?.current?.object);
});

/** Nothing answers at the address of the webhook, and the API server has seen that address. */
async function webhookIsAway(it: ReleaseStory): Promise<void> {
  const name = installation({ namespaces: [it.namespace] }).webhookConfiguration;
  const url = JSON.stringify([
    { op: 'replace', path: '/webhooks/0/clientConfig/url', value: 'https://127.0.0.1:1/workloads' },
  ]);
  await it.when.kubectl('patch', 'mutatingwebhookconfiguration', name, '--type=json', `--patch=${url}`);
  const probe = { ...web(), metadata: { ...web().metadata, name: 'probe', namespace: it.namespace } };
  await waitFor('the webhook is not called', async () => {
    const { metadata } = await it.client.create<Deployment>(deployments, probe, { dryRun: true });
    return metadata.labels?.[labels.assigned] === undefined ? { met: true } : { seen: 'called' };
  });
}

describe.each(installations)('two managers that apply the same reference, %s', (_, { start }) => {
  test.runIf(usualWay === 'template')('are named in a condition, also after an edit', async () => {
    await using it = await start();
    await given(it);
    const object = web();
    await it.when.appliedByServer(object, '--field-manager', 'helm');
    await settled(it, '1.0.0', ['web']);
    const { spec } = await it.object<Deployment>(deployments, 'web');
    const asNow = { ...object, spec: { ...object.spec, template: spec.template } };
    await it.when.appliedByServer(asNow, '--field-manager', 'argocd');
    const told = async (status?: string) => {
      const rollout = await it.rolloutIs(
        'the condition says so',
        (now) =>
          conditionOf({ status: now }, 'CoApplied')?.status === 'True' &&
          (status === undefined || now.current?.version === status),
      );
      expect(conditionOf(rollout, 'CoApplied')?.message).toContain(
        'Deployment web, spec.template.spec.volumes.0.configMap.name: argocd, helm',
      );
    };
    await told();
    await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
    await settled(it, '1.0.1', ['web']);
    await told('1.0.1');
  });
});

test.runIf(usualWay === 'template')(
  'fields that a controller was killed before giving back, or that an earlier release took, are given back',
  async () => {
    await using it = await ReleaseStory.start(engine);
    await given(it);
    await it.when.appliedByServer(web(), '--field-manager', 'helm');
    await settled(it, '1.0.0', ['web']);
    await fieldsAreOf(it, 'helm');
    const fieldsAreLost = () =>
      it.controllerRestarts(async () => {
        const names = namesOf(await it.object<Deployment>(deployments, 'web'));
        await changesNames(it, (name) => `${name}-x`);
        await changesNames(it, (name) => name.slice(0, -2));
        const object = await it.object<Deployment>(deployments, 'web');
        expect(ownersOf(object).every(({ isUpdated }) => isUpdated)).toBe(true);
        expect(namesOf(object)).toEqual(names);
      });
    await fieldsAreLost();
    await fieldsAreOf(it, 'helm', { exceptEnvFrom: true });
    await it.when.appliedByServer(web(), '--field-manager', 'helm');

    await it.when.appliedByServer(web(unmanaged), '--field-manager', 'helm');
    await it.eventually<Deployment>('web reads the live config', deployments, 'web', ({ metadata }) =>
      [metadata.labels?.[labels.assigned], metadata.annotations?.[annotations.assignment]].every(
        (each) => each === undefined,
      ),
    );
    await fieldsAreLost();
    await fieldsAreOf(it, 'helm', { exceptEnvFrom: true });
    await it.when.appliedByServer(web(unmanaged), '--field-manager', 'helm');
  },
);

/** Changes all references in a direct patch of the controller. */
async function changesNames(it: ReleaseStory, change: (name: string) => string): Promise<void> {
  const object = await it.object<Deployment>(deployments, 'web');
  const operations = referencesOf(object).map(({ pointer, name }) => ({
    op: 'replace' as const,
    path: `/spec/template${pointer}`,
    value: change(name),
  }));
  const where = { namespace: it.namespace, name: 'web' };
  await it.client.patch(deployments, where, { type: 'json', operations }, { fieldManager: 'trimtab' });
}

async function given(it: ReleaseStory): Promise<void> {
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), secret('bar', { token: 'x' }));
}

function projecting(name: string) {
  return ({ spec }: Deployment) => {
    const volume = { name: 'projected', projected: { sources: [{ configMap: { name } }] } };
    spec.template.spec.volumes = [...(spec.template.spec.volumes ?? []), volume as never];
  };
}

function withoutReplicas({ spec }: Deployment): void {
  delete (spec as { replicas?: number }).replicas;
}

function referencesOf({ spec }: Deployment) {
  return templateReferences(spec.template);
}

function namesOf(object: Deployment): string[] {
  return referencesOf(object).map(({ name }) => name);
}

/** Waits until all references to foo name this version of it. */
async function namesOnly(it: ReleaseStory, version: string | undefined): Promise<void> {
  await it.eventually<Deployment>(`web names ${version}`, deployments, 'web', (object) =>
    referencesOf(object).every(({ kind, name }) => kind === 'Secret' || name === version),
  );
}

/** Waits until no client owns references because of an update. */
async function nobodyUpdated(it: ReleaseStory): Promise<void> {
  await it.eventually<Deployment>('references have no owner', deployments, 'web', (object) =>
    ownersOf(object).every(({ isUpdated }) => !isUpdated),
  );
}

/** Waits until this manager, and no other, owns the references. */
async function fieldsAreOf(it: ReleaseStory, manager: string, { exceptEnvFrom = false } = {}): Promise<void> {
  await it.eventually<Deployment>(`${manager} owns all references`, deployments, 'web', (object) =>
    ownersOf(object).every(
      ({ pointer, appliers, isUpdated }) =>
        !isUpdated &&
        (appliers.join() === manager ||
          (exceptEnvFrom && pointer.includes('envFrom') && appliers.length === 0)),
    ),
  );
}

function ownersOf(object: Deployment) {
  const { template } = object.spec;
  const owners = referenceOwners(template, templateReferences(template), managedFieldsOf(object));
  return [...owners].map(([pointer, its]) => ({ pointer, ...its }));
}

const unmanaged = annotated({ [annotations.manage]: 'false' });

function scaleEntry(object: Deployment) {
  return managedFieldsOf(object).find(({ subresource }) => subresource === 'scale');
}
