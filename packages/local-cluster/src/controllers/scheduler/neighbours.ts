import type { Pod } from '../../objects/pod.ts';
import type { Misfit, NodeLoad } from './node-fit.ts';
import { type Labels, matchesTerm, preferredTerms, requiredTerms } from './pod-affinity.ts';
import { Topologies } from './topologies.ts';

type NamespaceLabels = (namespace: string) => Labels;

/** Filters nodes by required pod affinity and anti-affinity, including the anti-affinity of pods already running. */
export function neighbourFilter(
  pod: Pod,
  loads: readonly NodeLoad[],
  namespaceLabels: NamespaceLabels,
): (load: NodeLoad) => Misfit | undefined {
  const near = requiredTerms(pod, 'podAffinity');
  const far = requiredTerms(pod, 'podAntiAffinity');
  const friends = new Topologies();
  const foes = new Topologies();
  const haters = new Topologies();
  const isFriend = (other: Pod) =>
    near.length > 0 && near.every((term) => matchesTerm(term, pod, other, namespaceLabels));
  for (const { node, pods } of loads)
    for (const other of pods) {
      if (isFriend(other)) for (const { topologyKey } of near) friends.add(node, topologyKey, 1);
      for (const term of far)
        if (matchesTerm(term, pod, other, namespaceLabels)) foes.add(node, term.topologyKey, 1);
      for (const term of requiredTerms(other, 'podAntiAffinity'))
        if (matchesTerm(term, other, pod, namespaceLabels)) haters.add(node, term.topologyKey, 1);
    }
  return ({ node }) => {
    const found = near.map(({ topologyKey }) => friends.at(node, topologyKey));
    // The first pod of a group matches its own affinity term, and no other pod matches it yet: it may go anywhere.
    const isFirst = friends.isEmpty && isFriend(pod);
    if (found.some((count) => count === undefined || (count === 0 && !isFirst)))
      return { reasons: ["node(s) didn't match pod affinity rules"], byOthers: false };
    if (far.some(({ topologyKey }) => (foes.at(node, topologyKey) ?? 0) > 0))
      return { reasons: ["node(s) didn't match pod anti-affinity rules"], byOthers: true };
    if (haters.allAt(node).some((count) => count > 0))
      return { reasons: ["node(s) didn't satisfy existing pods anti-affinity rules"], byOthers: true };
    return undefined;
  };
}

/** Scores nodes by preferred pod affinity minus anti-affinity, of the pod itself and of pods already running. */
export function neighbourScore(
  pod: Pod,
  loads: readonly NodeLoad[],
  namespaceLabels: NamespaceLabels,
): (load: NodeLoad) => number {
  const scores = new Topologies();
  const directions = [
    ['podAffinity', 1],
    ['podAntiAffinity', -1],
  ] as const;
  for (const { node, pods } of loads)
    for (const other of pods) {
      for (const [direction, sign] of directions) {
        for (const { weight, podAffinityTerm: term } of preferredTerms(pod, direction))
          if (matchesTerm(term, pod, other, namespaceLabels))
            scores.add(node, term.topologyKey, sign * weight);
        for (const { weight, podAffinityTerm: term } of preferredTerms(other, direction))
          if (matchesTerm(term, other, pod, namespaceLabels))
            scores.add(node, term.topologyKey, sign * weight);
      }
      // As in kube-scheduler, a required affinity of a running pod also counts in favour of the node.
      for (const term of requiredTerms(other, 'podAffinity'))
        if (matchesTerm(term, other, pod, namespaceLabels)) scores.add(node, term.topologyKey, 1);
    }
  return ({ node }) => scores.allAt(node).reduce((sum, each) => sum + each, 0);
}
