import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { configMaps, events } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { afterAll, expect, test } from 'vitest';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';

const engine = await currentEngine();
const folder = await mkdtemp(path.join(tmpdir(), 'kustomize-'));
afterAll(async () => {
  await rm(folder, { recursive: true });
  await engine.close();
});

/** Applies a kustomization that generates the ConfigMap foo. Returns its name and what kubectl said. */
async function kustomized({ namespace }: ReleaseStory, color: string, options: object = {}) {
  const web = deployment('web', mountingConfigMap('foo', '/etc/foo'), managed);
  const generator = { name: 'foo', literals: [`color=${color}`], options };
  const kustomization = { resources: ['web.yaml'], configMapGenerator: [generator] };
  await writeFile(path.join(folder, 'web.yaml'), JSON.stringify(web));
  await writeFile(path.join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
  const { stdout } = await kubectl(engine, ['kustomize', folder]);
  const { code, stderr } = await kubectl(engine, ['apply', '--kustomize', folder], { namespace });
  expect(code, stderr).toBe(0);
  return { config: /^ {2}name: (foo\S*)$/m.exec(stdout)?.[1] ?? '', stderr };
}

const released = (it: ReleaseStory, config: string, version = '1.0.0') =>
  settled(it, version, ['web'], `configmap-${config}`);

const warned = (it: ReleaseStory, from: string, to: string) =>
  it.eventuallyEvent(
    'an event tells of the new config',
    'Deployment',
    'web',
    ({ type, reason, message }) =>
      type === 'Warning' &&
      reason === 'HashedConfigName' &&
      message.startsWith(`ConfigMap ${to} replaces ConfigMap ${from}`),
  );

async function timesTold({ client, namespace }: ReleaseStory): Promise<number> {
  const { items } = await client.list<KubeObject & { reason: string; count: number }>(events, { namespace });
  return items
    .filter(({ reason }) => reason === 'HashedConfigName')
    .reduce((sum, { count }) => sum + count, 0);
}

test('kustomize makes every change a new config: kubectl warns, an event says so once, a fixed name ends it', async () => {
  await using it = await installedStory(engine);
  const blue = await kustomized(it, 'blue');
  await released(it, blue.config);
  expect(blue.stderr).not.toContain('Warning');

  const green = await kustomized(it, 'green');
  expect(green.stderr).toMatch(
    new RegExp(
      `^Warning: trimtab: ConfigMap ${green.config} replaces ${blue.config}.*disableNameSuffixHash`,
      'm',
    ),
  );
  await warned(it, blue.config, green.config);
  await released(it, green.config);

  const fixed = await kustomized(it, 'green', { disableNameSuffixHash: true });
  expect(fixed).toMatchObject({ config: 'foo', stderr: expect.not.stringContaining('Warning') });
  await released(it, 'foo');
  await it.strategyIs({ bakeSeconds: 0 });
  await kustomized(it, 'red', { disableNameSuffixHash: true });
  await released(it, 'foo', '1.0.1');
  expect(await timesTold(it)).toBe(1);
});

test('a version ends in ten characters, too, and is not mistaken for a new config', async () => {
  await using it = await ReleaseStory.start(engine);
  const blue = await kustomized(it, 'blue');
  await released(it, blue.config);
  await it.strategyIs({ bakeSeconds: 0 }, `configmap-${blue.config}`);
  await it.when.edited(configMaps, blue.config, withData({ color: 'green' }));
  await released(it, blue.config, '1.0.1');
  await it.when.kubectl('rollout', 'undo', 'deployment/web');
  await it.rolloutIs(
    'the undo is seen',
    ({ workloads }) => workloads?.[0]?.state === 'Pinned',
    `configmap-${blue.config}`,
  );
  expect(await timesTold(it)).toBe(0);

  const red = await kustomized(it, 'red');
  await warned(it, blue.config, red.config);
  await released(it, red.config);
  const purple = await kustomized(it, 'purple');
  await warned(it, red.config, purple.config);
  expect(await timesTold(it)).toBe(2);
});
