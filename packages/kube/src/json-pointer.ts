/** `/metadata/labels/trimtab.dev~1state`: the JSON pointer (RFC 6901) to a field whose names may hold any character. */
export function jsonPointer(...names: string[]): string {
  return names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
