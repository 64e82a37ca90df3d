import { pods, workloadResources } from '@trimtab/kube/resource.ts';
import { isConflict, isForbidden, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { Command } from '../../core/activation/types.ts';
import { workload as reduceWorkload, type Workload } from '../../core/workload/reduce-workload.ts';
import { workloadText } from '../../core/workload/workload-key.ts';
import { type ControllerContext, fieldManager } from '../context.ts';
import { isDenial } from '../version/denials.ts';
import { changeReferences, directOperations } from '../workload/change-references.ts';
import { referenceWayOf } from '../workload/reference-way-of.ts';
import type { ObservedGroup } from './observe.ts';
import { moveChange, notePatch } from './workload-patch.ts';

/**
 * Result of a command. `stale`: the cache has not caught up. `denied`: RBAC, an admission policy or validation
 * rejected the write; `message` tells why.
 */
export type CommandResult = { result: 'done' } | { result: 'stale' } | { result: 'denied'; message: string };

/**
 * Executes one command, for the workload as it was observed for the plan: the cache may have changed since. Does not
 * throw for failures that another reconciliation or a user resolves.
 */
export async function applyCommand(
  context: ControllerContext,
  namespace: string,
  command: Command,
  { workloads, configOf }: ObservedGroup,
  signal: AbortSignal,
): Promise<CommandResult> {
  if (command.do === 'delete pod') return deletePod(context, namespace, command, signal);
  const found = workloads.find(({ state }) => state.key === command.workload);
  if (found === undefined) return { result: 'stale' };
  const { workload, state } = found;
  const delivery = {
    mode: state.isReloaded ? ('reload' as const) : ('recycle' as const),
    way: referenceWayOf(context.referenceWays, workload),
  };
  const where = { namespace, name: workload.name };
  const resource = workloadResources[workload.kind];
  const operationsFor =
    command.do === 'note'
      ? (its: Workload) => notePatch(its, command)
      : (its: Workload) => directOperations(its, moveChange(command, configOf, delivery));
  try {
    if (command.do === 'note') {
      const patch = { type: 'json', operations: notePatch(workload, command) } as const;
      await context.client.patch(resource, where, patch, { fieldManager, signal });
    } else await changeReferences(context, workload, moveChange(command, configOf, delivery), signal);
    return { result: 'done' };
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return { result: 'stale' };
    if (!isDenial(error)) throw error;
    if (error.status === 422 && (await hasChanged())) return { result: 'stale' };
    return {
      result: 'denied',
      message: `${workloadText(command.workload)}: ${error.body.message ?? error.reason}`,
    };
  }

  /** A failed `test` and an invalid object both return 422. Only a fresh read tells them apart. */
  async function hasChanged(): Promise<boolean> {
    const fresh = reduceWorkload(workload.kind)(await context.client.get(resource, where, { signal }));
    return JSON.stringify(operationsFor(fresh)) !== JSON.stringify(operationsFor(workload));
  }
}

async function deletePod(
  { client }: ControllerContext,
  namespace: string,
  { pod, uid }: Extract<Command, { do: 'delete pod' }>,
  signal: AbortSignal,
): Promise<CommandResult> {
  try {
    await client.delete(pods, { namespace, name: pod }, { preconditions: { uid }, signal });
    return { result: 'done' };
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return { result: 'stale' };
    if (isForbidden(error)) return { result: 'denied', message: `the controller may not delete pod ${pod}` };
    throw error;
  }
}
