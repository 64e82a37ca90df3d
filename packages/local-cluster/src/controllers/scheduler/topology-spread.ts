import { type LabelSelector, labelsMatch } from '../../apiserver/selector/object-selector.ts';
import type { Pod, SpreadConstraint } from '../../objects/pod.ts';
import { wantsNode } from './node-affinity.ts';
import type { Misfit, NodeLoad } from './node-fit.ts';
import { untolerated } from './taints.ts';
import { Topologies } from './topologies.ts';

const mismatch = "node(s) didn't match pod topology spread constraints";

/** Rejects nodes where one more pod would exceed maxSkew relative to the domain with the fewest pods. */
export function spreadFilter(pod: Pod, loads: readonly NodeLoad[]): (load: NodeLoad) => Misfit | undefined {
  const constraints = constraintsOf(pod, 'DoNotSchedule');
  const counted = constraints.map((constraint) => ({
    constraint,
    ...countPlaces(pod, constraint, constraints, loads),
  }));
  return ({ node }) => {
    for (const { constraint, counts, least } of counted) {
      const here = counts.at(node, constraint.topologyKey);
      if (here === undefined) return { reasons: [`${mismatch} (missing required label)`], byOthers: false };
      const own = isCounted(pod, constraint, pod) ? 1 : 0;
      if (here + own - least > constraint.maxSkew) return { reasons: [mismatch], byOthers: true };
    }
    return undefined;
  };
}

/** The number of matching pods in the node's domains, for ScheduleAnyway constraints. Lower is better. */
export function spreadPenalty(pod: Pod, loads: readonly NodeLoad[]): (load: NodeLoad) => number {
  const constraints = constraintsOf(pod, 'ScheduleAnyway');
  const counted = constraints.map((constraint) => ({
    constraint,
    ...countPlaces(pod, constraint, constraints, loads),
  }));
  return ({ node }) =>
    counted.reduce(
      (sum, { constraint, counts }) =>
        // A node without the topology label is the last choice.
        sum + (counts.at(node, constraint.topologyKey) ?? Number.POSITIVE_INFINITY),
      0,
    );
}

function constraintsOf({ spec }: Pod, action: string): SpreadConstraint[] {
  return (spec.topologySpreadConstraints ?? []).filter((each) => each.whenUnsatisfiable === action);
}

/** Counts matching pods per domain, and in the domain with the fewest. Ineligible nodes form no domain. */
function countPlaces(
  pod: Pod,
  constraint: SpreadConstraint,
  all: readonly SpreadConstraint[],
  loads: readonly NodeLoad[],
): { counts: Topologies; least: number } {
  const {
    nodeAffinityPolicy = 'Honor',
    nodeTaintsPolicy = 'Ignore',
    topologyKey,
    minDomains = 1,
  } = constraint;
  const places = loads.filter(({ node }) => {
    const { labels = {} } = node.metadata;
    return (
      all.every((each) => Object.hasOwn(labels, each.topologyKey)) &&
      (nodeAffinityPolicy !== 'Honor' || wantsNode(pod.spec, node)) &&
      (nodeTaintsPolicy !== 'Honor' ||
        untolerated(node.spec?.taints ?? [], pod.spec.tolerations ?? []) === undefined)
    );
  });
  const counts = new Topologies();
  for (const { node, pods } of places) {
    const { labelSelector } = constraint;
    const found = isEmpty(labelSelector) ? [] : pods.filter((each) => isCounted(pod, constraint, each));
    counts.add(
      node,
      topologyKey,
      found.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length,
    );
  }
  const domains = new Set(places.map(({ node }) => node.metadata.labels?.[topologyKey]));
  const numbers = places.map(({ node }) => counts.at(node, topologyKey) ?? 0);
  return { counts, least: domains.size < minDomains ? 0 : Math.min(...numbers) };
}

/** Kubernetes counts no pods for an empty selector, which otherwise matches every pod. */
function isEmpty(selector: LabelSelector | undefined): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return selector !== undefined && Object.keys(matchLabels).length + matchExpressions.length === 0;
}

/** Whether `other` is in the pod's namespace, matches the selector, and has the same values of matchLabelKeys. */
function isCounted(pod: Pod, { labelSelector, matchLabelKeys = [] }: SpreadConstraint, other: Pod): boolean {
  const own = pod.metadata.labels ?? {};
  const { labels = {}, namespace } = other.metadata;
  return (
    namespace === pod.metadata.namespace &&
    labelSelector !== undefined &&
    labelsMatch(labelSelector, labels) &&
    matchLabelKeys.every((key) => own[key] === undefined || labels[key] === own[key])
  );
}
