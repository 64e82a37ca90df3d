/** Matches `$(NAME)` and the escape `$$`. A reference ends at the first closing parenthesis. */
const reference = /\$(?:\$|\(([^)]*)\))/g;

/**
 * Replaces `$(NAME)` as Kubernetes does. `$$` becomes one dollar, so `$$(NAME)` yields a literal `$(NAME)`. A name that
 * `lookUp` does not know is left as is. Inserted values are not expanded again, so expansion always terminates.
 */
export function expand(text: string, lookUp: (name: string) => string | undefined): string {
  // No reference can begin after the last parenthesis, and searching there would take quadratic time.
  const end = text.lastIndexOf(')') + 1;
  const head = text
    .slice(0, end)
    .replace(reference, (whole, name?: string) => (name === undefined ? '$' : (lookUp(name) ?? whole)));
  return head + text.slice(end).replaceAll('$$', () => '$');
}
