import { deployments, secrets, serviceAccounts } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap, mountingSecret } from '@trimtab/test-bed/objects/pod-template.ts';
import { type Secret, secret } from '@trimtab/test-bed/objects/secret.ts';
import { afterAll, expect, test } from 'vitest';
import { templateReferences } from '../../src/core/references/references.ts';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { conditionOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const enforcement = 'kubernetes.io/enforce-mountable-secrets';

/** A ServiceAccount whose pods can use the Secret bar, and no other. */
const locked = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'locked', annotations: { [enforcement]: 'true' } },
  secrets: [{ name: 'bar' }],
} as KubeObject;

const web = () =>
  deployment(
    'web',
    mountingConfigMap('foo', '/etc/foo'),
    mountingSecret('bar', '/etc/bar'),
    managed,
    runningTheApp,
    ({ spec }) => {
      Object.assign(spec.template.spec, { serviceAccountName: 'locked' });
    },
  );

/** What the pods of web get for each config. */
async function namesOf(it: ReleaseStory): Promise<string[]> {
  const { spec } = await it.object<Deployment>(deployments, 'web');
  return templateReferences(spec.template).map(({ name }) => name);
}

test.each([
  ['without a webhook', () => ReleaseStory.start(engine)],
  ['with the webhook', () => installedStory(engine)],
])(
  'a Secret whose versions the ServiceAccount does not allow stays as it is, and a condition says why, %s',
  async (_, start) => {
    await using it = await start();
    await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
    await it.shortBake(['foo']);
    await it.given.objects(locked, configMap('foo', { color: 'blue' }), secret('bar', { token: 'x' }), web());
    const { status } = await settled(it, '1.0.0', ['web']);
    const told = await it.rolloutIs(
      'a condition tells',
      (now) => conditionOf({ status: now }, 'UnmanagedReferences')?.status === 'True',
      'secret-bar',
    );
    expect(conditionOf(told, 'UnmanagedReferences')?.message).toContain(
      `Deployment web references Secret/bar: ServiceAccount locked has the annotation ${enforcement}`,
    );
    expect(await namesOf(it)).toEqual([status?.current?.object, 'bar']);
  },
);

test('an edit of a Secret whose versions the ServiceAccount no longer allows touches no pod', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  const account = { ...locked, metadata: { name: 'locked' } };
  await it.given.objects(account, configMap('foo', { color: 'blue' }), secret('bar', { token: 'x' }), web());
  await settled(it, '1.0.0', ['web'], 'secret-bar');
  const before = await namesOf(it);
  expect(before).not.toContain('bar');
  await it.controllerRestarts(() => it.annotates(serviceAccounts, 'locked', { [enforcement]: 'true' }));
  await it.when.edited<Secret>(secrets, 'bar', (bar) => {
    bar.data = { token: Buffer.from('y').toString('base64') };
  });
  const refused = await it.rolloutIs(
    'the edit is refused',
    (now) => conditionOf({ status: now }, 'Degraded')?.reason === 'SecretNotMountable',
    'secret-bar',
  );
  expect(conditionOf(refused, 'Degraded')?.message).toContain(
    `Version 1.0.1 cannot be used by Deployment web: ServiceAccount locked has the annotation ${enforcement}`,
  );
  expect(await namesOf(it)).toEqual(before);

  await it.controllerRestarts(() => it.annotates(serviceAccounts, 'locked', { [enforcement]: null }));
  await settled(it, '1.0.1', ['web'], 'secret-bar');
});
