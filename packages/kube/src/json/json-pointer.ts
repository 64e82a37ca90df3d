/** Returns the JSON pointer (RFC 6901) of a field, with its names escaped: `/metadata/labels/trimtab.dev~1state`. */
export function jsonPointer(...names: string[]): string {
  return names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Inverse of `jsonPointer`. Text before the first slash is ignored; a valid pointer has none. */
export function namesOf(pointer: string): string[] {
  const [, ...names] = pointer.split('/');
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}
