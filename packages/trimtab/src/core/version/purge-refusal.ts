import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { ConfigAddress } from '../references/config-address.ts';
import type { VersionMetadata } from './version-metadata.ts';
import { type KeepReason, keepReason } from './version-state.ts';
import type { VersionUsers } from './version-users.ts';

interface PurgeFacts {
  rollout: ConfigRollout;
  versions: readonly VersionMetadata[];
  /** The content hash of the config; undefined when the config does not exist. */
  liveHash: string | undefined;
  usersOf(version: VersionMetadata): VersionUsers;
}

/**
 * Returns why a version cannot be purged and what to do; undefined when it can. In contrast to an ordinary deletion,
 * old revisions do not keep a version: only what runs it, or may run it next.
 */
export function purgeRefusal(
  { rollout, versions, liveHash, usersOf }: PurgeFacts,
  version: VersionMetadata,
  address: ConfigAddress,
): KeepReason | undefined {
  const keep = keepReason(rollout, versions, { ...version, inUse: false }, liveHash);
  if (keep?.reason === 'Live') return runningReason(usersOf(version), address) ?? keep;
  if (keep === undefined) return runningReason(usersOf(version), address);
  const isLive = rollout.spec.release !== 'Locked' && version.contentHash === liveHash;
  const next = isLive
    ? `The config itself has the content of this version: edit ${typed(address)}, and wait until the new version is current`
    : `Activate another version with \`${activation(address)}\`, and wait until it is current`;
  return { ...keep, message: `${keep.message}. ${next}; then repeat the purge` };
}

function runningReason({ pods, workloads }: VersionUsers, address: ConfigAddress): KeepReason | undefined {
  if (pods.length === 0 && workloads.length === 0) return undefined;
  const inNamespace = `-n ${address.namespace}`;
  const one = pods.length === 1;
  const held = workloads.length > 0 && `${listed(workloads)} may start pods with the version`;
  const run =
    pods.length > 0 && `${one ? 'pod' : 'pods'} ${listed(pods)} ${one ? 'runs' : 'run'} the version`;
  const remedies = [
    workloads.length > 0 &&
      `activate another version with \`${activation(address)}\` (a pinned workload needs \`trimtab unpin ${workloads[0]} ${inNamespace}\`, too)`,
    pods.length > 0 &&
      `wait until ${one ? 'the pod is' : 'the pods are'} replaced, or delete ${one ? 'it' : 'them'} with \`kubectl delete pod ${listed(pods, ' ')} ${inNamespace}\``,
    'then repeat the purge',
  ];
  const texts = (parts: (string | false)[], joint: string) =>
    parts.filter((each) => each !== false).join(joint);
  return { reason: 'Running', message: `${texts([held, run], ', and ')}: ${texts(remedies, '; ')}` };
}

function activation(address: ConfigAddress): string {
  return `trimtab activate ${typed(address)} VERSION -n ${address.namespace}`;
}

function typed({ kind, name }: ConfigAddress): string {
  return `${kind.toLowerCase()}/${name}`;
}

/** A message names five objects at most. */
function listed(names: readonly string[], joint = ', '): string {
  const more = names.length - 5;
  return [...names.slice(0, 5), ...(more > 0 && joint !== ' ' ? [`${more} more`] : [])].join(joint);
}
