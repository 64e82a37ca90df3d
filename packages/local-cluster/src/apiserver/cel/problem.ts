/** Formats the error of a failed evaluation as Kubernetes' CEL does. */
export function celProblem(error: unknown): string {
  const first = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  return first.replace(/^No such key/, 'no such key');
}
