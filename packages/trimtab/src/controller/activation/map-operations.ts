import type { Patch } from '@trimtab/kube/client.ts';
import { jsonPointer } from '@trimtab/kube/json/json-pointer.ts';

type Operation = (Patch & { type: 'json' })['operations'][number];

/**
 * Returns JSON patch operations that set the entries of a map of labels or annotations, and remove those whose value is
 * undefined. Each value that the cached object has is tested first.
 */
export function mapOperations(
  path: readonly string[],
  before: Readonly<Record<string, string>>,
  entries: ReadonlyMap<string, string | undefined>,
): Operation[] {
  const added = [...entries].filter(
    (entry): entry is [string, string] => entry[1] !== undefined && before[entry[0]] === undefined,
  );
  const known = [...entries].flatMap(([key, value]): Operation[] => {
    const at = jsonPointer(...path, key);
    const old = before[key];
    if (old === undefined) return [];
    const test: Operation = { op: 'test', path: at, value: old };
    if (old === value) return [test];
    return [test, value === undefined ? { op: 'remove', path: at } : { op: 'replace', path: at, value }];
  });
  if (added.length === 0) return known;
  if (Object.keys(before).length > 0)
    return [
      ...known,
      ...added.map(([key, value]): Operation => ({ op: 'add', path: jsonPointer(...path, key), value })),
    ];
  // The cached object has no such map. If one was added since, it must not be overwritten.
  return [
    { op: 'test', path: jsonPointer(...path), value: null },
    { op: 'add', path: jsonPointer(...path), value: Object.fromEntries(added) },
  ];
}
