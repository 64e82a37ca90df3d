/** A file for `curl -K`, so that a request to the gateway fits on one line. */
export function curlOptions(authorityFile: string, token: string): string {
  const quoted = (value: string) => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  return [
    `cacert = ${quoted(authorityFile)}`,
    `header = ${quoted(`Authorization: Bearer ${token}`)}`,
    'silent',
    'show-error',
    '',
  ].join('\n');
}
