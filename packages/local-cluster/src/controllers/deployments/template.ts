import type { PodTemplate } from '../../objects/pod.ts';

export const hashLabel = 'pod-template-hash';

/** Whether two templates make the same pods; the label that a ReplicaSet adds to its own does not count. */
export function sameTemplate(a: PodTemplate, b: PodTemplate): boolean {
  return canonical(withoutHash(a)) === canonical(withoutHash(b));
}

/** The same for the same template and count of collisions, in the letters that Kubernetes uses. */
export function templateHash(template: PodTemplate, collisionCount: number | undefined): string {
  const hash = fnv1a(`${canonical(template)}${collisionCount ?? ''}`);
  return [...String(hash)].map((digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join('');
}

/** No vowels, so that no hash is a word. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

function withoutHash({ metadata = {}, spec }: PodTemplate): PodTemplate {
  const { [hashLabel]: _, ...labels } = metadata.labels ?? {};
  return { metadata: { ...metadata, labels }, spec };
}

/** Fields that hold any keys, where an empty one says nothing; an empty `emptyDir` says something. */
const maps = new Set(['labels', 'annotations', 'nodeSelector', 'limits', 'requests']);

/** Keys in order; what is empty is as good as absent. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (each === null || typeof each !== 'object' || Array.isArray(each)) return each;
    return Object.fromEntries(
      Object.entries(each)
        .filter(([key, inner]) => !isEmpty(key, inner))
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  });
}

function isEmpty(key: string, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return maps.has(key) && Object.keys(value).length === 0;
}
