/** Who owns a file that the agent writes, compared with the containers that mount its volume. */
export interface FileOwner {
  /** `root` as for files of the kubelet, `reader` when all these containers run as the same user, or any other user. */
  user: 'root' | 'reader' | 'other';
  /** The pod has an fsGroup: it is the group of the file, and all containers are members of it. */
  fsGroup: boolean;
}

const ownerRead = 0o400;
const groupRead = 0o440;

/**
 * The mode of a file, such that containers can read what they could read before. The kubelet's files belong to root, with
 * the pod's fsGroup as their group, which may always read (mode | 0440). The agent's files belong to the user of the agent.
 *
 * - Owned by root: the same mode.
 * - Owned by the user who reads it: a mode for all stays. Otherwise the owner is enough. Programs such as PostgreSQL and
 *   ssh refuse a private key with more rights than that if they own it.
 * - Owned by another user: what root or its group might do moves to the fsGroup, else to all users. Containers that run
 *   as root without CAP_DAC_OVERRIDE need it. Only containers that mount the volume see the file.
 */
export function readableMode(mode: number, { user, fsGroup }: FileOwner): number {
  const kubelet = fsGroup ? mode | groupRead : mode;
  if (user === 'root') return kubelet;
  const isForAll = (mode & 0o004) !== 0;
  if (user === 'reader') return isForAll ? kubelet | ownerRead : ((mode | (mode << 3)) & 0o700) | ownerRead;
  const ofOwner = (mode >> 6) & 0o5;
  const ofAny = (ofOwner | (mode >> 3) | mode) & 0o5;
  return kubelet | ownerRead | (fsGroup ? ofOwner << 3 : (ofAny << 3) | ofAny);
}
