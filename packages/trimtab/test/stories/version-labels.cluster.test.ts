import { configMaps, secrets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { type ConfigMap, configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromSecret, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { afterAll, expect, test } from 'vitest';
import { annotations, labels } from '../../src/api/names.ts';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { settled } from '../support/settled.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

test('kubectl shows the names of versions in a column, where a label can hold them', async () => {
  await using it = await installedStory(engine);
  await it.shortBake(['foo', 'secret/key'], { bakeSeconds: 0 });
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    secret('key', { token: 'a' }),
    deployment('web', mountingConfigMap('foo', '/etc/foo'), envFromSecret('key'), managed),
  );
  const first = await settled(it, '1.0.0', ['web']);
  const ofKey = await settled(it, '1.0.0', ['web'], 'secret-key');
  const named = async (version: string, color: string) => {
    await it.when.edited<ConfigMap>(configMaps, 'foo', (foo) => {
      foo.data = { color };
      annotated({ [annotations.version]: version })(foo);
    });
    return (await settled(it, version, ['web'])).status?.current?.object ?? '';
  };
  const green = await named('2.0-rc1', 'green');
  const red = await named('first try', 'red');

  const table = await it.when.kubectl('get', 'configmaps', '-L', 'trimtab.dev/version');
  const shown = (object: string | undefined) =>
    table
      .split('\n')
      .find((line) => line.startsWith(`${object} `))
      ?.trim()
      .split(/\s+/);
  expect(table.split('\n')[0]).toMatch(/NAME +DATA +AGE +VERSION/);
  expect(shown(first.status?.current?.object)?.[3]).toBe('1.0.0');
  expect(shown(green)?.[3]).toBe('2.0-rc1');
  expect(shown(red), 'a name with a space is no label').toHaveLength(3);
  expect(shown('foo'), 'the live config is no version').toHaveLength(3);
  const key = await it.object<KubeObject>(secrets, ofKey.status?.current?.object ?? '');
  expect(key.metadata.labels?.[labels.version]).toBe('1.0.0');
  expect(await it.when.kubectl('get', 'configmaps', '-l', 'trimtab.dev/version=2.0-rc1', '-o', 'name')).toBe(
    `configmap/${green}\n`,
  );
});
