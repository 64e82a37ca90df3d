import type { ContainerState, ContainerStatus } from '../../objects/pod.ts';
import { type ContainerRecord, type Exit, phaseOf } from './container-record.ts';
import { mayRestart, type PodContainer } from './container-roles.ts';
import type { PodView } from './pod-view.ts';

export const containerScheme = 'process://';

/** The status of one container. With `isEnding`, its pod is terminating, so the container is not restarted. */
export function containerStatus(view: PodView, each: PodContainer, isEnding: boolean): ContainerStatus {
  const { container, role } = each;
  const record = view.records.get(container.name) ?? { made: 0 };
  const { state, lastState } = statesOf(view, each, record, isEnding);
  // An instance without a process is not counted yet, because its start may still fail.
  const current = record.current?.process === undefined ? undefined : record.current;
  const made = record.made - (record.current === undefined || current !== undefined ? 0 : 1);
  const id = current?.id ?? record.exit?.containerID;
  const verdict =
    state.running === undefined || record.current === undefined
      ? undefined
      : view.verdictOf(record.current.id);
  const started = verdict?.started ?? false;
  const ready = role === 'init' ? state.terminated?.exitCode === 0 : started && (verdict?.ready ?? false);
  return {
    name: container.name,
    image: container.image ?? '',
    imageID: made === 0 ? '' : (container.image ?? ''),
    ...(id !== undefined && made > 0 && { containerID: containerScheme + id }),
    ready,
    started,
    restartCount: Math.max(0, made - 1),
    state,
    lastState,
  };
}

function statesOf(
  view: PodView,
  each: PodContainer,
  record: ContainerRecord,
  isEnding: boolean,
): { state: ContainerState; lastState: ContainerState } {
  const before = record.lastExit === undefined ? {} : { terminated: terminated(record.lastExit) };
  if (phaseOf(record) === 'running' && record.current !== undefined)
    return { state: { running: { startedAt: timeText(record.current.startedAt) } }, lastState: before };
  if (record.exit === undefined) return { state: { waiting: waitingOf(view, record) }, lastState: before };
  const state = { terminated: terminated(record.exit) };
  const returns = !isEnding && mayRestart(each, view.pod, record.exit);
  if (!returns || record.waiting === undefined) return { state, lastState: before };
  return { state: { waiting: record.waiting }, lastState: state };
}

function waitingOf({ pod }: PodView, { waiting }: ContainerRecord): { reason: string; message?: string } {
  if (waiting !== undefined) return waiting;
  return { reason: (pod.spec.initContainers ?? []).length > 0 ? 'PodInitializing' : 'ContainerCreating' };
}

function terminated(exit: Exit): NonNullable<ContainerState['terminated']> {
  return {
    exitCode: exit.exitCode,
    reason: exit.reason,
    ...(exit.message !== undefined && exit.message !== '' && { message: exit.message }),
    startedAt: timeText(exit.startedAt),
    finishedAt: timeText(exit.finishedAt),
    containerID: containerScheme + exit.containerID,
  };
}

/** Formats a time as the API does: to the second. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
