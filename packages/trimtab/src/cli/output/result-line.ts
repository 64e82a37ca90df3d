/** `deployment "web" managed`, as kubectl reports the result of a write. */
export function resultLine(
  { kind, name }: { kind: string; name: string },
  result: string,
  { dryRun = false }: { dryRun?: boolean } = {},
): string {
  return `${kind.toLowerCase()} "${name}" ${result}${dryRun ? ' (server dry run)' : ''}`;
}

/** `1 pod`, `2 pods`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
