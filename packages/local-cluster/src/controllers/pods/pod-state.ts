import type { Pod } from '../../objects/pod.ts';

/** Whether the pod is neither finished nor terminating. */
export function isActive({ metadata, status }: Pod): boolean {
  return (
    metadata.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed'
  );
}

export function isReady({ status }: Pod): boolean {
  return readyCondition(status)?.status === 'True';
}

/** Whether the pod has been Ready for at least `minReadySeconds`. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  return availableInMs(pod, minReadySeconds, now) === 0;
}

/** Milliseconds that the pod must still stay Ready to be available. Undefined when the pod is not Ready. */
export function availableInMs({ status }: Pod, minReadySeconds: number, now: number): number | undefined {
  const ready = readyCondition(status);
  if (ready?.status !== 'True') return undefined;
  if (minReadySeconds === 0) return 0;
  if (ready.lastTransitionTime === undefined) return undefined;
  return Math.max(0, Date.parse(ready.lastTransitionTime) + minReadySeconds * 1000 - now);
}

function readyCondition(status: Pod['status']) {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}
