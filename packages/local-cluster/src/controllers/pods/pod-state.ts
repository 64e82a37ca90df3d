import type { Pod } from '../../objects/pod.ts';

/** Neither at its end nor on the way there. */
export function isActive({ metadata, status }: Pod): boolean {
  return (
    metadata.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed'
  );
}

export function isReady({ status }: Pod): boolean {
  return readyCondition(status)?.status === 'True';
}

/** Ready for `minReadySeconds` at least. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  return availableInMs(pod, minReadySeconds, now) === 0;
}

/** How long it has still to stay Ready; undefined when it is not. */
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
