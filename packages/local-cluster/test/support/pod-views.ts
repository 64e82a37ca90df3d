import { usualBackOff } from '../../src/kubelet/pod/back-off.ts';
import type { ContainerRecord, Exit } from '../../src/kubelet/pod/container-record.ts';
import type { PodView } from '../../src/kubelet/pod/pod-view.ts';
import type { ProbeVerdict } from '../../src/kubelet/pod/probe-results.ts';
import type { Container, Pod, PodSpec } from '../../src/objects/pod.ts';

export const noon = Date.UTC(2026, 0, 1, 12);

export function podOf(spec: Partial<PodSpec>, metadata: Partial<Pod['metadata']> = {}): Pod {
  return {
    metadata: { namespace: 'shop', name: 'web', uid: 'u1', generation: 1, ...metadata },
    spec: { containers: [container('app')], restartPolicy: 'Always', ...spec },
  };
}

export function container(name: string, more: Partial<Container> = {}): Container {
  return { name, image: `${name}:1`, ...more };
}

export function sidecar(name: string, more: Partial<Container> = {}): Container {
  return container(name, { restartPolicy: 'Always', ...more });
}

/** The container's ID is its name. */
export function running(name: string, more: Partial<ContainerRecord> = {}): ContainerRecord {
  return {
    made: 1,
    current: { id: name, startedAt: noon - 60_000, process: { pid: 7, began: 'then' } },
    ...more,
  };
}

export function exited(
  exitCode: number,
  more: Omit<Partial<ContainerRecord>, 'exit'> & { exit?: Partial<Exit> } = {},
): ContainerRecord & { exit: Exit } {
  const exit: Exit = {
    containerID: 'old',
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    startedAt: noon - 60_000,
    finishedAt: noon,
    ...more.exit,
  };
  return { made: 1, ...more, exit };
}

const well: ProbeVerdict = { started: true, ready: true };

export function viewOf(
  pod: Pod,
  records: Record<string, ContainerRecord> = {},
  more: Partial<PodView> & { verdicts?: Record<string, ProbeVerdict> } = {},
): PodView {
  const { verdicts = {}, ...rest } = more;
  return {
    pod,
    records: new Map(Object.entries(records)),
    verdictOf: (id) => verdicts[id] ?? well,
    placed: true,
    podIP: '127.20.0.7',
    hostIP: '127.0.0.1',
    startedAt: noon - 120_000,
    now: noon,
    limits: usualBackOff,
    ...rest,
  };
}
