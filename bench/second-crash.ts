import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { PodTemplate } from '@trimtab/test-bed/objects/pod-template.ts';

export interface CrashingPod extends KubeObject {
  spec: PodTemplate['spec'];
  status?: { containerStatuses?: { restartCount: number; state?: { terminated?: object } }[] };
}

/** Whether a container of the pod has terminated after its first restart. */
export function hasCrashedTwice({ status }: CrashingPod): boolean {
  return (status?.containerStatuses ?? []).some(
    ({ restartCount, state }) => restartCount === 1 && state?.terminated !== undefined,
  );
}
