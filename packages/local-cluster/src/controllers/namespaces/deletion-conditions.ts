export interface NamespaceCondition {
  type: string;
  status: string;
  reason: string;
  message: string;
  lastTransitionTime: string;
}

/** The remaining objects of one kind in a terminating namespace. */
export interface Remaining {
  /** For example `deployments.apps`. The core group leaves a trailing dot, as in Kubernetes: `pods.`. */
  kind: string;
  /** The finalizers of each remaining object. */
  finalizers: string[][];
}

type Told = Pick<NamespaceCondition, 'type' | 'status' | 'reason' | 'message'>;

const fine: readonly Told[] = [
  ok('NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'),
  ok(
    'NamespaceDeletionGroupVersionParsingFailure',
    'ParsedGroupVersions',
    'All legacy kube types successfully parsed',
  ),
  ok(
    'NamespaceDeletionContentFailure',
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ),
  ok('NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed'),
  ok('NamespaceFinalizersRemaining', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished'),
];

/** The conditions of a terminating namespace, with the messages of Kubernetes' namespace controller. */
export function deletionConditions(
  before: readonly NamespaceCondition[],
  remaining: readonly Remaining[],
  now: string,
): NamespaceCondition[] {
  const left = [contentLeft(remaining), finalizersLeft(remaining)].filter((each) => each !== undefined);
  const others = before.filter(({ type }) => !fine.some((each) => each.type === type));
  const ours = fine.map((good): NamespaceCondition => {
    const told = left.find(({ type }) => type === good.type) ?? good;
    const old = before.find(({ type }) => type === good.type);
    return { ...told, lastTransitionTime: old?.status === told.status ? old.lastTransitionTime : now };
  });
  return [...others, ...ours];
}

function ok(type: string, reason: string, message: string): Told {
  return { type, status: 'False', reason, message };
}

function contentLeft(remaining: readonly Remaining[]): Told | undefined {
  if (remaining.length === 0) return undefined;
  const texts = remaining.map(
    ({ kind, finalizers }) => `${kind} has ${finalizers.length} resource instances`,
  );
  const message = `Some resources are remaining: ${texts.sort().join(', ')}`;
  return { type: 'NamespaceContentRemaining', status: 'True', reason: 'SomeResourcesRemain', message };
}

function finalizersLeft(remaining: readonly Remaining[]): Told | undefined {
  const counts = new Map<string, number>();
  for (const each of remaining.flatMap(({ finalizers }) => finalizers.flat()))
    counts.set(each, (counts.get(each) ?? 0) + 1);
  if (counts.size === 0) return undefined;
  const texts = [...counts].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
  const message = `Some content in the namespace has finalizers remaining: ${texts.sort().join(', ')}`;
  return { type: 'NamespaceFinalizersRemaining', status: 'True', reason: 'SomeFinalizersRemain', message };
}
