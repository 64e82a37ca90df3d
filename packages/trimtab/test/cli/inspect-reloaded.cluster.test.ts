import { configMaps } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { withData } from '@trimtab/test-bed/objects/config-map.ts';
import { withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { afterAll, expect, test } from 'vitest';
import { ReloadStory } from '../reload/support/reload-story.ts';
import { settled } from '../support/settled.ts';
import { runTrimtab } from './support/run-trimtab.ts';
import { stableText } from './support/stable-text.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

test('a reloaded pod counts for the version that its agent has reported, not for the one it started with', async () => {
  await using story = await ReloadStory.startWeb(engine, {}, withReplicas(2));
  const { it } = story;
  const { namespace } = it;
  const shown = async (...args: string[]) =>
    stableText((await runTrimtab(engine, args, { namespace })).stdout);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);
  const template = '{range .items[*]}{.metadata.name} {.state} {.pods}{"\\n"}{end}';
  expect(await shown('versions', 'foo', '-o', `jsonpath=${template}`)).toBe(
    '1.0.0 not-current 0\n1.0.1 current 2\n',
  );
  const use = 'volume /etc/foo   reload   yes   1.0.1';
  expect(await shown('uses', 'foo')).toBe(`\
NAME   THROUGH   MODE   MANAGED   VERSION   PODS   WHY
deployment/web   ${use}   2   annotation trimtab.dev/manage
`);
  expect(await shown('uses', 'deployment/web')).toBe(`\
NAME   THROUGH   MODE   MANAGED   VERSION   CURRENT   PODS   WHY
configmap/foo   ${use}   1.0.1   2   annotation trimtab.dev/manage
`);

  const purge = ['purge', 'foo', '--value-of', 'color', '--yes'];
  const { stdout, code } = await runTrimtab(engine, purge, { namespace });
  expect(stdout).toMatch(
    /^version "1\.0\.0" of configmap "foo" still holds the value in key "color": pods web-\S+, web-\S+ run the version: /,
  );
  expect(code).toBe(1);
});
