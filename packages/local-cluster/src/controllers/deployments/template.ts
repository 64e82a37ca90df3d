import type { PodTemplate } from '../../objects/pod.ts';

export const hashLabel = 'pod-template-hash';

/** Whether two templates are equal, ignoring the pod-template-hash label of ReplicaSets. */
export function sameTemplate(a: PodTemplate, b: PodTemplate): boolean {
  return canonical(withoutHash(a)) === canonical(withoutHash(b));
}

/** A stable hash of the template and the collision count, in Kubernetes' safe alphabet. */
export function templateHash(template: PodTemplate, collisionCount: number | undefined): string {
  const hash = fnv1a(`${canonical(template)}${collisionCount ?? ''}`);
  return [...String(hash)].map((digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join('');
}

/** Without vowels, to avoid words in hashes. */
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

/** Map fields, where an empty value equals an absent one. An empty object elsewhere, such as `emptyDir`, is a value. */
const maps = new Set(['labels', 'annotations', 'nodeSelector', 'limits', 'requests']);

/** JSON with sorted keys and without empty fields. */
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
