import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { PodSpec } from '../api/pod-template.ts';
import type { ReportedPod } from '../api/reload-report.ts';
import { type ConfigKey, readConfigKey } from '../core/references/config-key.ts';
import { findReferences } from '../core/references/references.ts';

/** The fields of a pod that show which versions it uses. */
export interface PodObject extends KubeObject {
  spec?: PodSpec;
  status?: { phase?: string };
}

/** What is known about the pods of a namespace. */
export interface KnownPods {
  pods: readonly PodObject[];
  /** What the agents of reloaded pods have reported, by the uid of the pod. */
  reported: ReadonlyMap<string, ReportedPod>;
}

/** A pod counts from its creation until it ends or is being deleted. */
export function isLive({ metadata, status }: PodObject): boolean {
  const hasEnded = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  return metadata.deletionTimestamp === undefined && !hasEnded;
}

/**
 * The object that a pod runs for a config: what its agent has reported, or what its spec references. `objects` are the
 * config and its versions. Undefined for a pod that does not use the config.
 */
export function runObject(
  { metadata, spec = {} }: PodObject,
  config: ConfigKey,
  objects: ReadonlySet<string>,
  reported: KnownPods['reported'],
): string | undefined {
  const report = reported.get(metadata.uid ?? '')?.runs.find((each) => each.config === config);
  if (report !== undefined) return report.object;
  const { kind } = readConfigKey(config);
  return findReferences({ spec }).find((each) => each.kind === kind && objects.has(each.name))?.name;
}

/** The number of live pods that run each object of a config. */
export function podsByObject(
  { pods, reported }: KnownPods,
  config: ConfigKey,
  objects: ReadonlySet<string>,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const pod of pods.filter(isLive)) {
    const object = runObject(pod, config, objects, reported);
    if (object !== undefined) counts.set(object, (counts.get(object) ?? 0) + 1);
  }
  return counts;
}
