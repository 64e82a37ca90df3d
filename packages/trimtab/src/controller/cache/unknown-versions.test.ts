import { ApiError } from '@trimtab/kube/transport/errors.ts';
import { expect, test } from 'vitest';
import { rolloutInState } from '../../../test/support/rollout-in-state.ts';
import { annotations, labels } from '../../api/names.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import type { ControllerContext } from '../context.ts';
import { lacksVersions } from './unknown-versions.ts';

const object = 'foo-abcdefghij';

function metadataOf(name: string, config: string | undefined) {
  const notes = {
    [annotations.config]: config,
    [annotations.version]: '1.0.1',
    [annotations.sequence]: '2',
    [annotations.contentHash]: 'hash',
  };
  return {
    ...{ kind: 'ConfigMap', namespace: 'shop', name, uid: `uid-of-${name}`, ownerReferences: [] },
    labels: config === undefined ? {} : { [labels.versionOf]: 'rollout-uid' },
    annotations: config === undefined ? {} : notes,
  };
}

/** The cache has seen the ConfigRollout of foo and these ConfigMaps; the API server stores `stored`. */
async function lacks(
  named: readonly string[],
  { cached, stored }: Record<'cached' | 'stored', ReturnType<typeof metadataOf>[]>,
): Promise<{ result: boolean; reads: string[] }> {
  const reads: string[] = [];
  const rollouts = new Map([['shop/configmap-foo', rolloutInState()]]);
  const configs = new Map(cached.map((each) => [`shop/${each.name}`, each]));
  const cluster = {
    rollouts: { cache: { get: (key: string) => rollouts.get(key), keysBy: () => [...rollouts.keys()] } },
    configs: { ConfigMap: { cache: { get: (key: string) => configs.get(key) } } },
  };
  const get = async (_: unknown, { name }: { name: string }) => {
    reads.push(name);
    const metadata = stored.find((each) => each.name === name);
    if (metadata === undefined)
      throw new ApiError(404, { apiVersion: 'v1', kind: 'Status', reason: 'NotFound' });
    return { kind: 'ConfigMap', metadata };
  };
  const context = { cluster, direct: { get } } as unknown as ControllerContext;
  const references = named.map((name) => ({ kind: 'ConfigMap', name }));
  const web = { namespace: 'shop', kind: 'Deployment', name: 'web', references } as unknown as Workload;
  return { result: await lacksVersions(context, [web], new AbortController().signal), reads };
}

test('a template names a version that no watch has delivered', async () => {
  const { result } = await lacks([object], { cached: [], stored: [metadataOf(object, 'foo')] });
  expect(result).toBe(true);
});

test('a version that exists nowhere, and an object that is no version, do not make the cache stale', async () => {
  expect(await lacks([object], { cached: [], stored: [] })).toEqual({ result: false, reads: [object] });
  const other = [metadataOf(object, undefined)];
  expect(await lacks([object], { cached: [], stored: other })).toEqual({ result: false, reads: [object] });
  const ofBar = [metadataOf(object, 'bar')];
  expect(await lacks([object], { cached: [], stored: ofBar })).toEqual({ result: false, reads: [object] });
});

test('nothing is read for names that are known, or that no version of a managed config has', async () => {
  const cached = [metadataOf(object, 'foo'), metadataOf('bar-abcdefghij', undefined)];
  const named = ['foo', object, 'bar-abcdefghij', 'zip-abcdefghij', 'foo-1', 'missing'];
  expect(await lacks(named, { cached, stored: [] })).toEqual({ result: false, reads: [] });
});
