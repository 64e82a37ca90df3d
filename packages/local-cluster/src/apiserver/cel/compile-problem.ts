/** Compile error of the CEL library. */
interface CompileError {
  name: string;
  message: string;
  code?: string;
  node?: { start?: number; pos?: number };
}

/**
 * Formats a compile error as Kubernetes' CEL does: the position, the problem, and the line with a marker. `original`
 * returns the position in the expression for a position in the text that was compiled.
 */
export function compileProblem(
  error: CompileError | undefined,
  expression: string,
  original: (position: number) => number = (position) => position,
): string {
  if (error === undefined) return 'expression does not compile';
  const [summary = ''] = error.message.split('\n');
  const start = original(error.node?.pos ?? error.node?.start ?? 0);
  const missing = error.code === 'no_such_key' ? /^No such key: (.*)$/.exec(summary)?.[1] : undefined;
  // For an undefined field, the marker is below the dot before the field.
  const at = missing === undefined ? start : Math.max(0, start - 1);
  return problemAt(
    at,
    missing === undefined ? told(error.name, summary) : `undefined field '${missing}'`,
    expression,
  );
}

/** Formats a problem at a position of an expression. */
export function problemAt(at: number, problem: string, expression: string): string {
  const before = expression.slice(0, at).split('\n');
  const column = before.at(-1)?.length ?? 0;
  const line = expression.split('\n')[before.length - 1] ?? '';
  return `ERROR: <input>:${before.length}:${column + 1}: ${problem}\n | ${line}\n | ${'.'.repeat(column)}^`;
}

function told(name: string, summary: string): string {
  const unknown = /^Unknown variable: (.*)$/.exec(summary)?.[1];
  if (unknown !== undefined) return `undeclared reference to '${unknown}' (in container '')`;
  return name === 'ParseError' ? `Syntax error: ${summary[0]?.toLowerCase()}${summary.slice(1)}` : summary;
}
