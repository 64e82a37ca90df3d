/** Says that a part of the output is missing because the caller may not list a resource, and which right is missing. */
export function missingListText(resource: string, namespace: string, consequence: string): string {
  return `${consequence}: this needs the verb "list" on "${resource}" in namespace ${namespace}`;
}
