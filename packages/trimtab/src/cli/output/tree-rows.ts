import type { PodLine } from '../../view/pod-lines.ts';
import type { Health } from '../../view/rollout-headline.ts';
import type { RolloutTree, WorkloadBranch } from '../../view/rollout-tree.ts';

/** One row of the tree. Rows below it have a greater depth. */
export type TreeRow =
  | { is: 'config'; depth: 0; tree: RolloutTree }
  | { is: 'workload'; depth: 1; branch: WorkloadBranch }
  | { is: 'pod'; depth: 2; pod: PodLine }
  /** Stands for rows that do not fit on the screen. */
  | { is: 'more'; depth: 1 | 2; text: string };

const urgency: Record<Health, number> = { bad: 0, busy: 1, waiting: 2, good: 3 };

/**
 * The rows of a tree, at most `limit`. When they do not fit, the rows that need attention are kept: failed workloads and
 * pods first, healthy ones last. A row stands for the others.
 */
export function treeRows(tree: RolloutTree, limit = Number.POSITIVE_INFINITY): TreeRow[] {
  const branches = keepWorkloads(tree.workloads, limit - 1);
  const left = tree.workloads.length - branches.length;
  const summary: TreeRow[] =
    left === 0 ? [] : [{ is: 'more', depth: 1, text: plural(left, 'more workload') }];
  const kept = keepPods(branches, limit - 1 - branches.length - summary.length);
  return [
    { is: 'config', depth: 0, tree },
    ...branches.flatMap((branch): TreeRow[] => [
      { is: 'workload', depth: 1, branch },
      ...podRows(branch, kept),
    ]),
    ...summary,
  ];
}

function keepWorkloads(branches: readonly WorkloadBranch[], limit: number): WorkloadBranch[] {
  if (branches.length <= limit) return [...branches];
  // One row is for the workloads that are left out.
  const chosen = new Set(mostUrgent(branches).slice(0, Math.max(0, limit - 1)));
  return branches.filter((branch) => chosen.has(branch));
}

/** Chooses the pods for which there is room, with a row for the rest of each workload. */
function keepPods(branches: readonly WorkloadBranch[], limit: number): ReadonlySet<PodLine> {
  const pods = branches.flatMap((branch) => branch.pods ?? []);
  if (pods.length <= limit) return new Set(pods);
  const summaries = branches.filter((branch) => (branch.pods ?? []).length > 0).length;
  return new Set(mostUrgent(pods).slice(0, Math.max(0, limit - summaries)));
}

function podRows({ pods = [] }: WorkloadBranch, kept: ReadonlySet<PodLine>): TreeRow[] {
  const shown = pods.filter((pod) => kept.has(pod));
  const rest = pods.filter((pod) => !kept.has(pod));
  const rows = shown.map((pod): TreeRow => ({ is: 'pod', depth: 2, pod }));
  if (rest.length === 0) return rows;
  const ready = rest.filter((pod) => pod.ready).length;
  const state = ready === rest.length ? 'all Ready' : `${ready} Ready`;
  return [...rows, { is: 'more', depth: 2, text: `${plural(rest.length, 'more pod')}, ${state}` }];
}

function mostUrgent<T extends { health: Health }>(items: readonly T[]): T[] {
  return [...items].sort((a, b) => urgency[a.health] - urgency[b.health]);
}

function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
