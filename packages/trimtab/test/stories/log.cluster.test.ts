import { configMaps } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, expect, test } from 'vitest';
import { inWave, managed } from '../support/managed.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

type Line = Record<string, unknown>;

const steps = [
  'version created',
  'activation started',
  'wave opened',
  'workload failed',
  'version is current',
  'version rolled back',
];

/** What the controller has logged of its releases, without the first version. */
function releases({ controller }: ReleaseStory): Line[] {
  return controller.log
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as Line)
    .filter(({ msg, version }) => steps.includes(String(msg)) && version !== '1.0.0');
}

const shortened = ({ msg, version, wave, workload, reason }: Line) =>
  [version, msg, wave, workload, reason].filter((each) => each !== undefined).join(' ');

test('a person who reads the log sees each step of a release once, and what it is about', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _ = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  const web = (name: string, wave: number) =>
    deployment(name, mountingConfigMap('foo', '/etc/foo'), managed, inWave(wave), runningTheApp);
  await it.given.objects(configMap('foo', { color: 'blue' }), web('first', 1), web('second', 2));
  await settled(it, '1.0.0', ['first', 'second']);

  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['first', 'second']);
  await it.when.edited(configMaps, 'foo', withData({ color: 'red', second: 'crash-loop' }));
  await it.rolloutIs('1.0.2 is rolled back', ({ phase, target }) => phase === 'Failed' && !target);
  const lines = await waitFor('the rollback is logged', async () => {
    const seen = releases(it);
    return seen.some(({ msg }) => msg === 'version rolled back')
      ? { met: seen }
      : { seen: seen.map(shortened).join('; ') };
  });

  expect(lines.map(shortened)).toEqual([
    '1.0.1 version created',
    '1.0.1 activation started',
    '1.0.1 wave opened 1',
    '1.0.1 wave opened 2',
    '1.0.1 version is current',
    '1.0.2 version created',
    '1.0.2 activation started',
    '1.0.2 wave opened 1',
    '1.0.2 wave opened 2',
    expect.stringMatching(/^1\.0\.2 workload failed Deployment\/second \w+$/),
    '1.0.2 version rolled back',
  ]);
  for (const line of lines) {
    expect(line).toMatchObject({ level: 'info', namespace: it.namespace, config: 'ConfigMap/foo' });
    if (line['msg'] !== 'version created') expect(line['activation']).toMatch(/^[0-9a-f]+-1$/);
  }
});
