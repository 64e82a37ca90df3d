import type { KeyToPath, PodTemplate } from '../../api/pod-template.ts';
import { mountedKeys } from './mounted-keys.ts';

/** The keys that a reference names one by one, also by `subPath`; undefined when it takes all keys. */
export function namedKeys(pod: PodTemplate, pointer: string): string[] | undefined {
  const path = pointer.split('/').slice(1, -1);
  const { key, items } = path.reduce<unknown>(
    (node, segment) => (node as Record<string, unknown>)[segment],
    pod,
  ) as { key?: string; items?: KeyToPath[] | null };
  if (key !== undefined) return [key];
  const [, list, index] = path;
  const mounted = list === 'volumes' ? mountedKeys(pod.spec ?? {}, Number(index), items ?? []) : undefined;
  return mounted ?? (items && items.length > 0 ? items.map((item) => item.key) : undefined);
}
