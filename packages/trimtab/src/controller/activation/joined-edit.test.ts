import type { KubeClient } from '@trimtab/kube/client.ts';
import { expect, test } from 'vitest';
import { workload } from '../../../test/support/activation-states.ts';
import type { WorkloadState } from '../../core/activation/types.ts';
import { contentHash } from '../../core/version/content-hash.ts';
import type { ControllerContext } from '../context.ts';
import { lacksJoinedEdit } from './joined-edit.ts';
import type { ObservedGroup } from './observe.ts';

const blue = { data: { color: 'blue' } };
const green = { data: { color: 'green' } };

/** The cache has seen foo with the first content; foo-1 is the version of the second one. */
function lacks(stored: object, mods: Partial<WorkloadState>, cached: object = blue): Promise<boolean> {
  const get: Pick<KubeClient, 'get'>['get'] = async () => ({ metadata: { name: 'foo' }, ...stored }) as never;
  const observed = {
    rollouts: [
      {
        rollout: { metadata: { namespace: 'ns' }, spec: { config: { kind: 'ConfigMap', name: 'foo' } } },
        state: { config: 'ConfigMap/foo', current: { name: '1.0.0', object: 'foo-0' } },
        versions: [{ object: 'foo-1', contentHash: contentHash(green) }],
        live: { hash: contentHash(cached) },
      },
    ],
  } as unknown as ObservedGroup;
  const context = { direct: { get } } as unknown as ControllerContext;
  const web = workload('Deployment/web', { foo: 1 });
  const record = web.record && { ...web.record, joined: true as const };
  const state = { ...web, ...(record && { record }), ...mods };
  return lacksJoinedEdit(context, observed, state, new AbortController().signal);
}

test('the edit that a workload was changed with is stored, and the watch has not delivered it', async () => {
  expect(await lacks(green, {})).toBe(true);
});

test.each<[string, object, Partial<WorkloadState>, object?]>([
  ['the edit was taken back', blue, {}],
  ['the edit is known, and no activation begins', green, {}, green],
  ['the controller assigned the version', green, { record: undefined }],
  ['another client chose the version', green, { assignment: 'pinned' }],
])('the workload may be repaired when %s', async (_, stored, mods, cached) => {
  expect(await lacks(stored, mods, cached)).toBe(false);
});
