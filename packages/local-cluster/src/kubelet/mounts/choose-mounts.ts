import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import { type MountMode, probeMounts } from './probe-mounts.ts';

/** Selects how volumes are mounted: as requested, or else the best way that this machine supports. */
export async function chooseMounts(
  folder: string,
  wanted?: MountMode['way'],
  probe: (folder: string) => Promise<MountMode> = probeMounts,
): Promise<MountMode> {
  if (wanted === 'folders') return { way: 'folders', because: 'requested by --mounts folders' };
  const found = await probe(folder);
  if (wanted === 'namespaces' && found.way === 'folders')
    throw new OperationalError(
      errors.ConfigInvalid,
      `volumes cannot be mounted at their real paths: ${found.because}. Start with --mounts folders.`,
    );
  return found;
}
