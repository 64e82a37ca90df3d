/** Formats the error of a failed evaluation as Kubernetes' CEL does. */
export function celProblem(error: unknown): string {
  const first = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  const outOfBounds = /^No such key: index out of bounds, index (\d+)/.exec(first)?.[1];
  if (outOfBounds !== undefined) return `index out of bounds: ${outOfBounds}`;
  return first.replace(/^No such key/, 'no such key');
}
