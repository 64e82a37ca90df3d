import type { Container, Pod } from '../../objects/pod.ts';
import { phaseOf } from './container-record.ts';
import { containersOf, mayRestart, type PodContainer } from './container-roles.ts';
import type { Ending, PodView } from './pod-view.ts';
import type { ProbeVerdict } from './probe-results.ts';

export interface StopOrder {
  name: string;
  graceSeconds: number;
  /** Message of the Event. */
  message: string;
  /** Containers that must end before this one gets its TERM. */
  after: string[];
  byProbe: boolean;
  /** Kill without a TERM. */
  atOnce: boolean;
}

const usualGraceSeconds = 30;

/** Stops all running containers. Sidecars wait for the main containers and for the sidecars that started after them. */
export function planStops(view: PodView, ending: Ending): StopOrder[] {
  const running = containersOf(view.pod.spec).filter((each) => isRunning(view, each));
  const mains = running.filter(({ role }) => role === 'main');
  return running.map((each, index) => ({
    name: each.container.name,
    graceSeconds: Math.min(graceOf(view.pod, ending), view.patienceSeconds ?? Number.POSITIVE_INFINITY),
    atOnce: view.patienceSeconds === 0,
    message: `Stopping container ${each.container.name}`,
    after:
      each.role !== 'sidecar'
        ? []
        : [...mains, ...running.slice(index + 1).filter(({ role }) => role === 'sidecar')].map(
            ({ container }) => container.name,
          ),
    byProbe: false,
  }));
}

/** Containers whose liveness or startup probe has failed. */
export function stopForProbe(view: PodView): StopOrder[] {
  return containersOf(view.pod.spec).flatMap((each): StopOrder[] => {
    const { container, role } = each;
    const id = view.records.get(container.name)?.current?.id;
    const failed = id !== undefined && isRunning(view, each) ? view.verdictOf(id).failed : undefined;
    if (failed === undefined || role === 'init') return [];
    const returns = mayRestart(each, view.pod, { exitCode: 0, byProbe: true });
    const message =
      role === 'sidecar'
        ? `Init container ${container.name} failed ${failed} probe`
        : `Container ${container.name} failed ${failed} probe${returns ? ', will be restarted' : ''}`;
    const graceSeconds = probeGrace(container, failed) ?? view.pod.spec.terminationGracePeriodSeconds;
    return [
      {
        name: container.name,
        graceSeconds: graceSeconds ?? usualGraceSeconds,
        message,
        after: [],
        byProbe: true,
        atOnce: false,
      },
    ];
  });
}

function graceOf({ metadata, spec }: Pod, ending: Ending): number {
  // The object was deleted without waiting for the kubelet.
  if (ending === 'object-gone') return metadata.deletionGracePeriodSeconds ?? 0;
  return metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? usualGraceSeconds;
}

function probeGrace(
  { livenessProbe, startupProbe }: Container,
  failed: NonNullable<ProbeVerdict['failed']>,
): number | undefined {
  const probe = failed === 'liveness' ? livenessProbe : startupProbe;
  return probe?.terminationGracePeriodSeconds;
}

function isRunning({ records }: PodView, { container }: PodContainer): boolean {
  return phaseOf(records.get(container.name)) === 'running';
}
