/** Says that a part of the output is missing because the caller may not list some resources, and which right is missing. */
export function missingListText(
  resources: readonly string[],
  namespace: string,
  consequence: string,
): string {
  const quoted = resources.map((resource) => `"${resource}"`).join(', ');
  return `${consequence}: this needs the verb "list" on ${quoted} in namespace ${namespace}`;
}
