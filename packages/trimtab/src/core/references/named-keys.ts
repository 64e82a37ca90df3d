import type { PodTemplate } from '../../api/pod-template.ts';

/** The keys that a reference names one by one; undefined when it takes all keys. A subPath mount has the whole volume. */
export function namedKeys(pod: PodTemplate, pointer: string): string[] | undefined {
  const path = pointer.split('/').slice(1, -1);
  const source = path.reduce<unknown>((node, segment) => (node as Record<string, unknown>)[segment], pod) as {
    key?: string;
    items?: { key: string }[] | null;
  };
  if (source.key !== undefined) return [source.key];
  return source.items && source.items.length > 0 ? source.items.map(({ key }) => key) : undefined;
}
