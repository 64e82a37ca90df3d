/** Messages of the CEL library, and what Kubernetes' CEL says instead. */
const texts: [ours: RegExp, theirs: string][] = [
  [/^No such key: index out of bounds, index (\d+).*$/, 'index out of bounds: $1'],
  [/^No such key/, 'no such key'],
  [/^no such overload: .*$/, 'no such overload'],
  [/^integer overflow: .*$/, 'integer overflow'],
  [/^Optional value is not present$/, 'optional.none() dereference'],
];

/** Formats the error of a failed evaluation as Kubernetes' CEL does. */
export function celProblem(error: unknown): string {
  const first = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  return texts.reduce((text, [ours, theirs]) => text.replace(ours, theirs), first);
}
