/** Says what keeps the agent from writing below the root, and what to do. */
export function describeWriteError(error: unknown, root: string): string {
  const { code = 'UNKNOWN', message } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const uid = process.getuid?.() ?? 'unknown';
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return `cannot write to ${root}: no space is left. Enlarge the volume, or its sizeLimit.`;
    case 'EROFS':
      return `cannot write to ${root}: it is mounted read-only. Mount the volume without readOnly in the container of the agent.`;
    case 'EACCES':
    case 'EPERM':
      return `cannot write to ${root}: permission denied for user ${uid}. Set fsGroup of the pod, or run the agent as the owner of the folder.`;
    case 'ENOTDIR':
    case 'EEXIST':
      return `cannot write to ${root}: a file is in the place of a folder (${code}). Remove it, or choose another --configroot.`;
    case 'ENAMETOOLONG':
      return `cannot write to ${root}: the path of a key is too long. Choose a shorter --path.`;
    default:
      return `cannot write to ${root}: ${message ?? String(error)}`;
  }
}

/** For calls whose target may be gone. */
export function unlessMissing(error: unknown): undefined {
  if (error instanceof Error && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}
