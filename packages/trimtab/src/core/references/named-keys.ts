import type { KeyToPath, PodTemplate } from '../../api/pod-template.ts';
import { mountedKeys } from './mounted-keys.ts';

/** The keys that containers get by a reference; undefined when they get all keys. */
export function givenKeys(pod: PodTemplate, pointer: string): string[] | undefined {
  const [key, inVolume] = [keyAt(pod, pointer), volumeOf(pointer)];
  if (key !== undefined) return [key];
  if (inVolume === undefined) return undefined;
  const items = itemsAt(pod, pointer);
  const mounted = mountedKeys(pod.spec ?? {}, inVolume, items);
  return mounted ?? keysOf(items);
}

/**
 * The keys that a reference names one by one, also by `subPath`; undefined when it takes all keys. What no container
 * mounts counts as named: a change of it is released to the pods.
 */
export function namedKeys(pod: PodTemplate, pointer: string): string[] | undefined {
  const given = givenKeys(pod, pointer);
  return given?.length === 0 ? keysOf(itemsAt(pod, pointer)) : given;
}

function keyAt(pod: PodTemplate, pointer: string): string | undefined {
  return parentOf(pod, pointer).key;
}

function itemsAt(pod: PodTemplate, pointer: string): KeyToPath[] {
  return parentOf(pod, pointer).items ?? [];
}

/** The index of the volume. */
function volumeOf(pointer: string): number | undefined {
  const [, , list, index] = pointer.split('/');
  return list === 'volumes' ? Number(index) : undefined;
}

function keysOf(items: readonly KeyToPath[]): string[] | undefined {
  return items.length === 0 ? undefined : items.map(({ key }) => key);
}

/** What holds the name of the config, with what it says about keys. */
function parentOf(pod: PodTemplate, pointer: string): { key?: string; items?: KeyToPath[] | null } {
  const path = pointer.split('/').slice(1, -1);
  const found = path.reduce<unknown>((node, segment) => (node as Record<string, unknown>)[segment], pod);
  return found as { key?: string; items?: KeyToPath[] | null };
}
