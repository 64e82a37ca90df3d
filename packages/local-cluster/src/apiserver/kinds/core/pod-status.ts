import { humanDuration } from '../../representation/age.ts';
import type { Container, ContainerStatus, Pod, PodSpec } from './pod-types.ts';

/** Guaranteed, Burstable or BestEffort, by the requests and limits of the containers. */
export function qosClass({ containers, initContainers = [] }: PodSpec): string {
  const all = [...(containers ?? []), ...initContainers];
  const asks = ({ resources }: Container) =>
    ['cpu', 'memory'].some((name) => isSet(resources?.requests?.[name]) || isSet(resources?.limits?.[name]));
  if (!all.some(asks)) return 'BestEffort';
  const isGuaranteed = all.every(({ resources }) =>
    ['cpu', 'memory'].every((name) => {
      const limit = resources?.limits?.[name];
      return isSet(limit) && (resources?.requests?.[name] ?? limit) === limit;
    }),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

function isSet(quantity: string | undefined): boolean {
  return quantity !== undefined && quantity !== '0';
}

export interface PodSummary {
  ready: string;
  status: string;
  restarts: string;
}

/** The middle columns of `kubectl get pods`. */
export function podSummary(pod: Pod, now: number): PodSummary {
  const { spec, status, metadata } = pod;
  const isSidecar = (name: string) =>
    spec.initContainers?.some((each) => each.name === name && each.restartPolicy === 'Always') ?? false;
  const sidecars = (status.initContainerStatuses ?? []).filter(({ name }) => isSidecar(name));
  const counted = [...(status.containerStatuses ?? []), ...sidecars];
  const total =
    (spec.containers ?? []).length + (spec.initContainers ?? []).filter(({ name }) => isSidecar(name)).length;
  const initReason = initializing(pod, isSidecar);
  let reason = initReason ?? status.reason ?? status.phase ?? '';
  if (initReason === undefined) reason = runningReason(status.containerStatuses ?? [], reason, pod);
  if (metadata.deletionTimestamp !== undefined) {
    if (status.reason === 'NodeLost') reason = 'Unknown';
    else if (!['Succeeded', 'Failed'].includes(status.phase ?? '')) reason = 'Terminating';
  }
  const inInit = initReason !== undefined ? (status.initContainerStatuses ?? []) : counted;
  return {
    ready: `${counted.filter(({ ready, state }) => ready && state?.running !== undefined).length}/${total}`,
    status: reason,
    restarts: restartsText(inInit, now),
  };
}

function restartsText(statuses: readonly ContainerStatus[], now: number): string {
  const count = statuses.reduce((sum, { restartCount }) => sum + restartCount, 0);
  const last = Math.max(
    ...statuses
      .map(({ lastState }) => Date.parse(lastState?.terminated?.finishedAt ?? ''))
      .filter((each) => !Number.isNaN(each)),
  );
  return count > 0 && Number.isFinite(last) ? `${count} (${humanDuration(now - last)} ago)` : String(count);
}

function initializing({ spec, status }: Pod, isSidecar: (name: string) => boolean): string | undefined {
  const total = spec.initContainers?.length ?? 0;
  for (const [index, { name, state, started, ready }] of (status.initContainerStatuses ?? []).entries()) {
    if (state?.terminated?.exitCode === 0) continue;
    if (isSidecar(name) && (started || ready)) continue;
    if (state?.terminated !== undefined) {
      const { reason, signal, exitCode } = state.terminated;
      return `Init:${reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`)}`;
    }
    const waiting = state?.waiting?.reason;
    return waiting && waiting !== 'PodInitializing' ? `Init:${waiting}` : `Init:${index}/${total}`;
  }
  return undefined;
}

function runningReason(statuses: readonly ContainerStatus[], given: string, { status }: Pod): string {
  let reason = given;
  let hasRunning = false;
  for (const { state, ready } of [...statuses].reverse()) {
    if (state?.waiting?.reason) reason = state.waiting.reason;
    else if (state?.terminated !== undefined) {
      const { reason: why, signal, exitCode } = state.terminated;
      reason = why || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);
    } else if (ready && state?.running !== undefined) hasRunning = true;
  }
  if (reason === 'Completed' && hasRunning)
    return status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True')
      ? 'Running'
      : 'NotReady';
  return reason;
}
