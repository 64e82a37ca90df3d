import { qosClass } from '../apiserver/kinds/core/pod-status.ts';
import type { PodSpec } from '../apiserver/kinds/core/pod-types.ts';
import { labelsMatch } from '../apiserver/selector/object-selector.ts';
import type { ChargedPod } from './pod-usage.ts';
import type { ScopeRequirement } from './quota-object.ts';

/** Whether a pod matches a scope. Scopes apply only to pods: a quota with a scope counts no other objects. */
export function podIsIn({ scopeName, operator, values = [] }: ScopeRequirement, pod: ChargedPod): boolean {
  const { activeDeadlineSeconds: deadline, priorityClassName = '' } = pod.spec;
  const hasDeadline = deadline !== undefined && deadline >= 0;
  switch (scopeName) {
    case 'Terminating':
      return hasDeadline;
    case 'NotTerminating':
      return !hasDeadline;
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass': {
      const labels: Record<string, string> =
        priorityClassName === '' ? {} : { [scopeName]: priorityClassName };
      return labelsMatch({ matchExpressions: [{ key: scopeName, operator, values }] }, labels);
    }
    case 'CrossNamespacePodAffinity':
      return looksAcrossNamespaces(pod.spec.affinity);
    default:
      return false;
  }
}

function isBestEffort({ spec }: ChargedPod): boolean {
  return qosClass(spec as unknown as PodSpec) === 'BestEffort';
}

interface Term {
  namespaces?: string[];
  namespaceSelector?: unknown;
  podAffinityTerm?: Term;
}

interface Wishes {
  requiredDuringSchedulingIgnoredDuringExecution?: Term[];
  preferredDuringSchedulingIgnoredDuringExecution?: Term[];
}

function looksAcrossNamespaces(affinity: unknown): boolean {
  const { podAffinity = {}, podAntiAffinity = {} } = (affinity ?? {}) as Record<string, Wishes | undefined>;
  return [podAffinity, podAntiAffinity]
    .flatMap((wishes) => [
      ...(wishes.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(wishes.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
        (each) => each.podAffinityTerm ?? {},
      ),
    ])
    .some(
      ({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined,
    );
}
