import { configMaps } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromKey, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { afterAll, expect, test } from 'vitest';
import type { ConfigRollout } from '../../src/api/config-rollout.ts';
import { managed } from '../support/managed.ts';
import { podsRun } from '../support/mounted-versions.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { conditionOf, lineOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const edit = (it: ReleaseStory, data: Record<string, string>) =>
  it.when.edited(configMaps, 'foo', withData(data));
const web = () => deployment('web', mountingConfigMap('foo', '/etc/foo'), managed, runningTheApp);
const startApp = ({ client, namespace }: ReleaseStory) =>
  SimulatedApp.start(client, namespace, (_, { metadata }) =>
    metadata.labels?.['app'] === 'broken' ? 'config-error' : 'works',
  );

function expectWarning(rollout: ConfigRollout, key: string, workload: string): void {
  const warning = conditionOf(rollout, 'KeyMissing');
  expect(warning?.status).toBe('True');
  expect(warning?.message).toContain(key);
  expect(warning?.message).toContain(workload);
}

test('a workload without pods that names a key which was never there blocks no release', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _app = await startApp(it);
  await it.shortBake(['foo']);
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    web(),
    deployment('zombie', envFromKey('SIZE', 'foo', 'size'), managed, withReplicas(0)),
  );
  await settled(it, '1.0.0', ['web']);
  await edit(it, { color: 'green' });
  const current = await settled(it, '1.0.1', ['web']);
  expectWarning(current, 'size', 'zombie');
  expect(lineOf(current.status, 'zombie')?.state).toBe('NoPods');
  await podsRun(it, 'web', current.status?.current?.object);
});

test('a key that the current version lacks, too, is a warning, also when its pods cannot start', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _app = await startApp(it);
  await it.shortBake(['foo']);
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    web(),
    deployment('broken', envFromKey('SIZE', 'foo', 'size'), managed, runningTheApp),
  );
  await settled(it, '1.0.0', ['web']);
  await edit(it, { color: 'green' });
  const current = await settled(it, '1.0.1', ['web']);
  expectWarning(current, 'size', 'broken');
  await podsRun(it, 'web', current.status?.current?.object);
});

test('a key that goes and that only a workload without pods names is a warning, which ends with the cause', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _app = await startApp(it);
  await it.shortBake(['foo']);
  await it.given.objects(
    configMap('foo', { color: 'blue', size: 'L' }),
    web(),
    deployment('zombie', envFromKey('SIZE', 'foo', 'size'), managed, withReplicas(0)),
  );
  await settled(it, '1.0.0', ['web']);
  await edit(it, { color: 'green' });
  const current = await settled(it, '1.0.1', ['web']);
  expectWarning(current, 'size', 'zombie');

  await edit(it, { color: 'green', size: 'M' });
  await settled(it, '1.0.2', ['web']);
  await it.rolloutIs(
    'the warning is gone',
    (status) => conditionOf({ status }, 'KeyMissing')?.status !== 'True',
  );
});
