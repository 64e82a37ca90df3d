/** The longest name of a file on Linux, in bytes. */
const maxNameBytes = 255;

/**
 * Why a file cannot be written at this path below --configroot; undefined when it can. A first name that begins with `..`
 * is reserved for the folders of the agent. The text completes a sentence that starts with the path.
 */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (path.startsWith('/')) return 'is absolute; paths are relative to --configroot';
  if (path.includes('\0')) return 'contains a NUL byte';
  const names = path.split('/');
  if (names.some((name) => name === '' || name === '.')) return "has an empty name or '.' in it";
  if (names.includes('..')) return "contains '..'; files are only written below --configroot";
  if (names[0]?.startsWith('..')) return "begins with '..', which is reserved for the agent";
  if (names.some((name) => Buffer.byteLength(name) > maxNameBytes))
    return `has a name of more than ${maxNameBytes} bytes`;
  return undefined;
}

/** The name in the root folder: `conf.d` for `conf.d/site.conf`. */
export function firstName(path: string): string {
  return path.split('/', 1)[0] ?? path;
}
