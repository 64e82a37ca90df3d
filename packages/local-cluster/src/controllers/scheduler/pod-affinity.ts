import { type LabelSelector, labelsMatch } from '../../apiserver/selector/object-selector.ts';
import type { Pod } from '../../objects/pod.ts';

export type Labels = Readonly<Record<string, string>>;

/** A pod affinity term: the pods that it selects, and the node label that defines a topology domain. */
export interface AffinityTerm {
  topologyKey: string;
  labelSelector?: LabelSelector;
  namespaces?: string[];
  namespaceSelector?: LabelSelector;
}

export interface WeightedTerm {
  weight: number;
  podAffinityTerm: AffinityTerm;
}

interface Wishes {
  requiredDuringSchedulingIgnoredDuringExecution?: AffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedTerm[];
}

type Direction = 'podAffinity' | 'podAntiAffinity';

function wishes({ spec }: Pod, direction: Direction): Wishes {
  return ((spec.affinity ?? {}) as Partial<Record<Direction, Wishes>>)[direction] ?? {};
}

export function requiredTerms(pod: Pod, direction: Direction): readonly AffinityTerm[] {
  return wishes(pod, direction).requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

export function preferredTerms(pod: Pod, direction: Direction): readonly WeightedTerm[] {
  return wishes(pod, direction).preferredDuringSchedulingIgnoredDuringExecution ?? [];
}

/** Whether `pod` matches an affinity term of `owner`. A term without namespaces applies to the owner's namespace. */
export function matchesTerm(
  { labelSelector, namespaces = [], namespaceSelector }: AffinityTerm,
  owner: Pod,
  pod: Pod,
  namespaceLabels: (namespace: string) => Labels,
): boolean {
  const { namespace = '', labels = {} } = pod.metadata;
  const isOwn = namespaces.length === 0 && namespaceSelector === undefined;
  const isThere =
    (isOwn && namespace === owner.metadata.namespace) ||
    namespaces.includes(namespace) ||
    (namespaceSelector !== undefined && labelsMatch(namespaceSelector, namespaceLabels(namespace)));
  return isThere && labelSelector !== undefined && labelsMatch(labelSelector, labels);
}
