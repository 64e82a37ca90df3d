/** `$(NAME)` and the escape `$$`. A reference ends at the first closing bracket, whatever is before it. */
const reference = /\$(?:\$|\(([^)]*)\))/g;

/**
 * Replaces `$(NAME)` as Kubernetes does: `$$` is one dollar, so that `$$(NAME)` stays as it is written; a name that
 * `lookUp` does not know stays, too. What was put in is not looked at again, so that this always ends.
 */
export function expand(text: string, lookUp: (name: string) => string | undefined): string {
  // Nothing after the last bracket can be a reference: to look for its end there would take the square of the length.
  const end = text.lastIndexOf(')') + 1;
  const head = text
    .slice(0, end)
    .replace(reference, (whole, name?: string) => (name === undefined ? '$' : (lookUp(name) ?? whole)));
  return head + text.slice(end).replaceAll('$$', () => '$');
}
