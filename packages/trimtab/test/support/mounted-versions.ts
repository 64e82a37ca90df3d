import { deployments, pods, type Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { PodTemplate, Templated } from '@trimtab/test-bed/objects/pod-template.ts';
import { findReferences } from '../../src/core/references/references.ts';
import { inFirstVolume, mountedConfigMap, type ReleaseStory } from './release-story.ts';

export interface Pod extends KubeObject {
  spec: PodTemplate['spec'];
  status?: {
    phase?: string;
    conditions?: { type: string; status: string; reason?: string }[];
    containerStatuses?: { restartCount: number; state: { terminated?: object } }[];
  };
}

/**
 * Returns the ConfigMap in the first ConfigMap volume of a pod. A pod inherits the annotation that assigns versions, but
 * it runs what its fields name.
 */
export function mountedByPod({ spec }: Pick<Pod, 'spec'>): string | undefined {
  return inFirstVolume(findReferences({ spec }));
}

/** Returns the ConfigMap that the pod template of a workload mounts now. */
export async function mountedBy(
  release: ReleaseStory,
  name: string,
  resource: Resource = deployments,
): Promise<string | undefined> {
  return mountedConfigMap(await release.object<KubeObject & Templated>(resource, name));
}

/** Waits until these are all pods of a workload, Ready, and each of them mounts this version object. */
export function podsRun(
  release: ReleaseStory,
  workload: string,
  object: string | undefined,
  count = 1,
): Promise<Pod[]> {
  return release.eventuallyAll<Pod>(
    `${count} pods of ${workload} run ${object}`,
    pods,
    (all) => all.length === count && all.every((pod) => mountedByPod(pod) === object && isReady(pod)),
    `app=${workload}`,
  );
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') ?? false;
}
