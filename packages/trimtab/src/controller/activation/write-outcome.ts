import { isDeepStrictEqual } from 'node:util';
import type { CallOptions } from '@trimtab/kube/client.ts';
import type { ConfigRollout, ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import type { PlannedActivation } from '../../core/activation/plan-group.ts';
import { isEarlierStatus } from '../../core/status/earlier-status.ts';
import { finishedActivation } from '../../core/status/finished-activation.ts';
import type { ControllerContext } from '../context.ts';
import { guardedPatch, type JsonOperation } from '../guarded-patch.ts';
import { logTransitions } from './log-progress.ts';
import type { ObservedGroup, ObservedRollout } from './observe.ts';
import { outcomeStatus } from './outcome-status.ts';
import { recordEvents, recordPinEvents } from './record-events.ts';
import type { StatusPace } from './status-pace.ts';

/**
 * Writes the status, after all other writes, and reports what it changes in metrics, log and Events. Returns the time
 * after which to write it, if it reports only progress and the last write is too recent; else 0.
 */
export async function writeOutcome(
  context: ControllerContext,
  observed: ObservedGroup,
  observedRollout: ObservedRollout,
  planned: PlannedActivation | undefined,
  denied: string | undefined,
  pace: StatusPace,
  how: CallOptions,
): Promise<number> {
  const { rollout, state } = observedRollout;
  const { status, pins } = outcomeStatus(context, observed, observedRollout, planned, denied);
  const plain: ConfigRolloutStatus = JSON.parse(JSON.stringify(status));
  if (isDeepStrictEqual(plain, rollout.status)) return 0;
  const waitMs = pace.waitMs(rollout, plain, context.clock.monotonic());
  if (waitMs > 0) return waitMs;
  await writeStatus(context, rollout, plain, how);
  pace.note(rollout, context.clock.monotonic());
  const finished = finishedActivation(state.config, rollout.status, status);
  if (finished !== undefined) context.countActivation(finished);
  logTransitions(context, rollout, status, planned);
  recordEvents(context, observed, rollout, status, planned);
  recordPinEvents(context, observed, rollout, pins);
  return 0;
}

/**
 * The write is guarded by the status that was read and not by the resourceVersion, because the list of workloads and
 * the ledger do not affect the status.
 */
async function writeStatus(
  { client }: ControllerContext,
  { metadata, status: before }: ConfigRollout,
  status: ConfigRolloutStatus,
  how: CallOptions,
): Promise<void> {
  const { namespace = '', name = '', resourceVersion } = metadata;
  const guard: JsonOperation =
    before === undefined || isEarlierStatus(before)
      ? { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion }
      : { op: 'test', path: '/status', value: before };
  const operations: JsonOperation[] = [guard, { op: 'add', path: '/status', value: status }];
  const options = { subresource: 'status', ...how };
  await guardedPatch(client, configRollouts, { namespace, name }, operations, options);
}
