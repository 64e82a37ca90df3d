import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import { type MountWay, probeMounts } from './probe-mounts.ts';

/** What somebody asks for, or else the best that this machine lets us do. */
export async function chooseMounts(
  folder: string,
  wanted?: MountWay['way'],
  probe: (folder: string) => Promise<MountWay> = probeMounts,
): Promise<MountWay> {
  if (wanted === 'folders') return { way: 'folders', because: 'as asked for' };
  const found = await probe(folder);
  if (wanted === 'namespaces' && found.way === 'folders')
    throw new OperationalError(
      errors.ConfigInvalid,
      `volumes cannot be mounted at their real paths: ${found.because}. Start with --mounts folders.`,
    );
  return found;
}
