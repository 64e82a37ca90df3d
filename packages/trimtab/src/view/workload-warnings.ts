import type { PodTemplate } from '../api/pod-template.ts';
import type { Reference } from '../core/references/references.ts';
import type { PlannedObject } from './activation-plan.ts';

export interface WarningInput {
  workload: PlannedObject;
  how: 'recycle' | 'reload';
  /** The workload requests a reload, whether or not its pods can be reloaded. */
  wantsReload: boolean;
  /** The workload's references to the config. */
  references: readonly Reference[];
  pods: number;
  /** The rollout's status reports the workload as Pinned. */
  pinned: boolean;
}

type Check = (judged: WarningInput) => string | undefined;

/** What a user should know before activating a version, most important first. */
const checks: readonly Check[] = [
  ({ pinned }) =>
    pinned
      ? 'The workload is pinned to versions that another client chose; this activation updates it'
      : undefined,
  ({ how, wantsReload }) =>
    how === 'recycle' && wantsReload
      ? 'The workload requests a reload, but its pods have no agent that reloads: the pods are replaced'
      : undefined,
  ({ workload: { spec } }) =>
    spec?.paused ? 'The workload is paused: its pods are not updated until it is resumed' : undefined,
  ({ workload: { spec }, how }) =>
    how === 'recycle' && spec?.updateStrategy?.type === 'OnDelete'
      ? 'The update strategy is OnDelete: a pod gets the version only when it is deleted'
      : undefined,
  ({ workload: { spec }, how }) =>
    how === 'recycle' && spec?.strategy?.type === 'Recreate'
      ? 'The strategy is Recreate: all pods stop before the first new pod starts'
      : undefined,
  ({ how, pods }) =>
    how === 'recycle' && pods === 1
      ? 'The workload has a single replica: it may be unavailable while the pod is replaced'
      : undefined,
  ({ workload }) => {
    const without = (templateOf(workload).spec?.containers ?? []).filter(
      ({ readinessProbe }) => !readinessProbe,
    );
    return without.length === 0
      ? undefined
      : `The pod template has no readiness probe in ${listed(
          'container',
          without.map(({ name }) => name),
        )}: a faulty version is detected only if it crashes`;
  },
  ({ how, references }) =>
    how === 'reload' && references.some(({ via }) => via === 'env')
      ? 'The config is read into environment variables, which a reload does not change: the pod must be replaced'
      : undefined,
];

export function workloadWarnings(judged: WarningInput): string[] {
  return checks.flatMap((check) => check(judged) ?? []);
}

export function templateOf({ spec }: PlannedObject): PodTemplate {
  return spec?.template ?? {};
}

function listed(what: string, names: readonly string[]): string {
  return `${what}${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
}
