import { configMaps } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { afterAll, expect, test } from 'vitest';
import { managed } from '../support/managed.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';
import { type App, runningTheApp, SimulatedApp } from '../support/simulated-app.ts';
import { runTrimtab } from './support/run-trimtab.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const app: App = ({ color }) => (color === 'broken' ? { crashes: 'no such color', exitCode: 3 } : 'works');
const web = deployment('web', mountingConfigMap('foo', '/etc/foo'), withReplicas(2), runningTheApp, managed);

test('try it', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _ = await SimulatedApp.start(it.client, it.namespace, app);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), web);
  await settled(it, '1.0.0', ['web']);
  const { namespace } = it;
  const env = { LANG: 'C.UTF-8' };
  const run = async (...args: string[]) => {
    const result = await runTrimtab(engine, args, { namespace, env });
    console.log(`$ trimtab ${args.join(' ')}\n${result.stdout}${result.stderr}-> ${result.code}`);
    return result;
  };
  await run('status');
  await run('status', 'foo');
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await run('wait', 'foo');
  await run('activate', 'foo', '1.0.0');
  await run('activate', 'foo', '1.0.0');
  await run('rollback', 'foo');
  await it.when.edited(configMaps, 'foo', withData({ color: 'broken' }));
  await run('wait', 'foo');
  await run('status');
  await run('status', 'foo');
  await run('retry', 'foo', '--watch');
  await run('abort', 'foo');
  await run('pause', 'foo');
  await run('pause', 'foo');
  await run('activate', 'foo', '1.0.1', '--timeout', '2s');
  await run('resume', 'foo', '-w');
  await run('resume', 'foo');
  await run('activate', 'foo', '9.9.9');
  await run('activate', 'nope', '9.9.9');
  await run('status', 'nope');
  expect(1).toBe(1);
});
