/** Returns whether an import failed because the npm package is not installed, and not because of an error in it. */
export function isMissingPackage(error: unknown, name: string): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    error.message.startsWith(`Cannot find package '${name}'`)
  );
}
