import { isDeepStrictEqual } from 'node:util';
import type { CallOptions } from '@trimtab/kube/client.ts';
import type { ConfigRollout, ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import type { PlannedActivation } from '../../core/activation/plan-group.ts';
import { finishedActivation } from '../../core/status/finished-activation.ts';
import type { ControllerContext } from '../context.ts';
import { guardedPatch, type JsonOperation } from '../guarded-patch.ts';
import type { ObservedGroup, ObservedRollout } from './observe.ts';
import { outcomeStatus } from './outcome-status.ts';
import { recordEvents, recordPinEvents } from './record-events.ts';

/** Writes down how a config stands, last of all; answers the rollout when there was something new to write. */
export async function writeOutcome(
  context: ControllerContext,
  observed: ObservedGroup,
  observedRollout: ObservedRollout,
  planned: PlannedActivation | undefined,
  denied: string | undefined,
  how: CallOptions,
): Promise<ConfigRollout | undefined> {
  const { rollout, state } = observedRollout;
  const { status, pins } = outcomeStatus(context, observed, observedRollout, planned, denied);
  const written = await writeStatus(context, rollout, status, how);
  if (written === undefined) return undefined;
  const finished = finishedActivation(state.config, rollout.status, status);
  if (finished !== undefined) context.countActivation(finished);
  recordEvents(context, rollout, status);
  recordPinEvents(context, observed, rollout, pins);
  return written;
}

/**
 * Undefined when there is nothing new to write. Guarded by the status that was read and not by the resourceVersion:
 * the ledger changes all the time, and says nothing about what is written here.
 */
async function writeStatus(
  { client }: ControllerContext,
  { metadata, status: before }: ConfigRollout,
  status: ConfigRolloutStatus,
  how: CallOptions,
): Promise<ConfigRollout | undefined> {
  const plain: ConfigRolloutStatus = JSON.parse(JSON.stringify(status));
  if (isDeepStrictEqual(plain, before)) return undefined;
  const { namespace = '', name = '', resourceVersion } = metadata;
  const guard: JsonOperation =
    before === undefined
      ? { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion }
      : { op: 'test', path: '/status', value: before };
  const operations: JsonOperation[] = [guard, { op: 'add', path: '/status', value: plain }];
  return guardedPatch<ConfigRollout>(client, configRollouts, { namespace, name }, operations, {
    subresource: 'status',
    ...how,
  });
}
