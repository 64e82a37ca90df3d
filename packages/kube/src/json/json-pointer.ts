/** `/metadata/labels/trimtab.dev~1state`: the JSON pointer (RFC 6901) to a field whose names may hold any character. */
export function jsonPointer(...names: string[]): string {
  return names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The inverse. What stands before the first slash is no name; a pointer has nothing there. */
export function namesOf(pointer: string): string[] {
  const [, ...names] = pointer.split('/');
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}
