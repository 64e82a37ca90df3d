import { readFile } from 'node:fs/promises';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { sleep } from '@trimtab/kube/clock.ts';
import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { resourceOf } from '@trimtab/test-bed/objects/resources.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type ConfigRollout, configRollouts } from '../../../src/api/config-rollout.ts';
import { contentHash } from '../../../src/core/version/content-hash.ts';
import { configRollout } from '../../support/config-rollout.ts';
import { managed } from '../../support/managed.ts';
import { DrivenCluster } from './driven-cluster.ts';
import { DrivenController } from './driven-controller.ts';

interface Schema {
  properties: { [field: string]: Schema };
  required?: string[];
}

interface Definition extends KubeObject {
  spec: { versions: { schema: { openAPIV3Schema: Schema } }[] };
}

/** The CustomResourceDefinition of this build, or that of a build whose status held content hashes. */
async function definition(isEarlier: boolean): Promise<Definition> {
  const text = await readFile(new URL('../../../../../deploy/crd.yaml', import.meta.url), 'utf8');
  const all: Definition[] = parseAllDocuments(text).map((each) => each.toJS());
  const found = all.find(({ metadata }) => metadata.name === 'configrollouts.trimtab.dev');
  const status = found?.spec.versions[0]?.schema.openAPIV3Schema.properties['status']?.properties;
  if (found === undefined || status === undefined) throw new Error('deploy/crd.yaml has no ConfigRollout');
  if (!isEarlier) return found;
  const hash = { type: 'string' } as unknown as Schema;
  const { observed, current, target } = status;
  if (observed) {
    observed.properties['liveHash'] = hash;
    delete observed.properties['liveVersion'];
  }
  for (const pointer of [current, target]) {
    if (pointer) pointer.properties['contentHash'] = hash;
    pointer?.required?.push('contentHash');
  }
  return found;
}

async function define(client: KubeClient, isEarlier: boolean): Promise<void> {
  const wanted = await definition(isEarlier);
  const resource = resourceOf(wanted);
  const { metadata } = await client.get(resource, { name: wanted.metadata.name ?? '' });
  await client.update(resource, { ...wanted, metadata });
}

/** Writes the status as the earlier build did. */
async function writeEarlierStatus(client: KubeClient, namespace: string): Promise<void> {
  const where = { namespace, name: 'configmap-foo' };
  const { status } = await client.get<ConfigRollout>(configRollouts, where);
  const liveHash = contentHash({ data: { color: 'green' } });
  const earlier = {
    observed: { ...status?.observed, liveVersion: null, liveHash },
    current: { ...status?.current, contentHash: contentHash({ data: { color: 'blue' } }) },
  };
  await client.patch(
    configRollouts,
    where,
    { type: 'merge', body: { status: earlier } },
    { subresource: 'status' },
  );
  expect(JSON.stringify(await client.get(configRollouts, where))).toContain(liveHash);
}

/** Longer than a watch lasts: the one of the earlier definition may deliver nothing. */
const patienceMs = 1_200_000;

test.each([
  ['the definition first, then the controller', true],
  ['the controller first, then the definition', false],
])('a status with content hashes is replaced, and nothing is rolled out: %s', async (_, isDefinedFirst) => {
  await using cluster = await DrivenCluster.start();
  const { clock, access, client } = cluster;
  await clock.during(upgraded());

  async function upgraded(): Promise<void> {
    const namespace = await cluster.namespace();
    const where = { namespace, name: 'configmap-foo' };
    const start = () => new DrivenController({ clock, access, namespace, onEnd() {} });
    const eventually = async (what: string, condition: (rollout: ConfigRollout) => boolean) => {
      const began = clock.time;
      for (;;) {
        const rollout = await client.get<ConfigRollout>(configRollouts, where);
        if (condition(rollout)) return rollout;
        if (clock.time - began > patienceMs)
          throw new Error(`Waited in vain for: ${what}.\n${JSON.stringify(rollout.status)}`);
        await sleep(clock, 100);
      }
    };
    const isCurrent = (version: string) =>
      eventually(
        `${version} is current`,
        ({ status }) => status?.phase === 'Current' && status.current?.version === version && !status.target,
      );
    const edited = (color: string) =>
      client.patch(configMaps, { namespace, name: 'foo' }, { type: 'merge', body: { data: { color } } });
    const generation = async () =>
      (await client.get(deployments, { namespace, name: 'web' })).metadata.generation;

    const earlier = start();
    const web = deployment('web', mountingConfigMap('foo', '/etc/foo'), managed);
    const rollout = configRollout('foo', { bakeSeconds: 1 });
    await new Given(client, namespace).objects(rollout, configMap('foo', { color: 'blue' }), web);
    await isCurrent('1.0.0');
    await edited('green');
    await isCurrent('1.0.1');
    await client.patch(configRollouts, where, { type: 'merge', body: { spec: { version: '1.0.0' } } });
    await isCurrent('1.0.0');
    const before = await generation();
    earlier.kill();
    await define(client, true);
    await writeEarlierStatus(client, namespace);

    if (isDefinedFirst) await define(client, false);
    const controller = start();
    await sleep(clock, 60_000);
    if (!isDefinedFirst) await define(client, false);
    const { status, spec } = await eventually(
      'the status names the live version',
      (each) => each.status?.observed?.liveVersion === '1.0.1',
    );
    expect(status?.current?.version).toBe('1.0.0');
    expect(JSON.stringify(status)).not.toMatch(/hash/i);
    expect(spec.version, 'the config was not edited').toBe('1.0.0');
    expect(await generation()).toBe(before);

    await edited('yellow');
    expect((await isCurrent('1.0.2')).spec.version).toBeUndefined();
    controller.kill();
  }
});
