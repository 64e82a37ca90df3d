import type { ConfigAddress } from '../references/config-address.ts';
import type { KeepReason } from './version-state.ts';
import type { LiveRevision, VersionUsers } from './version-users.ts';

/**
 * Returns what runs a version, or may run it next, with what to do about each; undefined when nothing does. Old revisions
 * do not count. `again` is what to do at last.
 */
export function runningReason(
  { pods, workloads, pinned, returning, creators, live }: VersionUsers,
  address: ConfigAddress,
  again: string,
): KeepReason | undefined {
  const { namespace } = address;
  const found = [
    workloads.length > 0 && {
      what: `${listed(workloads)} may start pods with the version`,
      remedy: `activate another version with \`${activation(address)}\`${unpinning(pinned, namespace)}, or edit a template that Trimtab does not manage`,
    },
    creators.length > 0 && {
      what: `${listed(creators)} may start pods with the version`,
      remedy: `edit ${creators.length === 1 ? 'its template' : 'their templates'}, or delete ${creators.length === 1 ? 'it' : 'them'} with \`kubectl delete ${creators.slice(0, 5).join(' ')} -n ${namespace}\``,
    },
    live.length > 0 && {
      what: `${listed(live.map(liveText))} may start pods with the version`,
      remedy: [...new Set(live.map((each) => liveRemedy(each, namespace)))].slice(0, 5).join('; '),
    },
    returning.length > 0 && {
      what: `${listed(returning)} ${returning.length === 1 ? 'returns' : 'return'} to the version if the activation in progress fails`,
      remedy: 'wait until the activation has ended',
    },
    pods.length > 0 && podsText(pods, namespace),
  ].filter((each) => each !== false);
  if (found.length === 0) return undefined;
  const what = found.map((each) => each.what).join(', and ');
  const remedies = [...found.map(({ remedy }) => remedy), again].join('; ');
  return { reason: 'Running', message: `${what}: ${remedies}` };
}

/** The command that activates another version. */
export function activation(address: ConfigAddress): string {
  return `trimtab activate ${typedConfig(address)} VERSION -n ${address.namespace}`;
}

export function typedConfig({ kind, name }: Pick<ConfigAddress, 'kind' | 'name'>): string {
  return `${kind.toLowerCase()}/${name}`;
}

function unpinning(pinned: readonly string[], namespace: string): string {
  if (pinned.length === 0) return '';
  const commands = pinned.slice(0, 5).map((each) => `\`trimtab unpin ${each} -n ${namespace}\``);
  return ` (a pinned workload needs ${commands.join(', ')}, too)`;
}

function liveText({ revision, owner }: LiveRevision): string {
  return owner === undefined ? revision : `${owner}, from ${revision},`;
}

/** Pods of a revision end with the rolling update of its owner. */
function liveRemedy({ revision, owner }: LiveRevision, namespace: string): string {
  if (owner === undefined) return `delete ${revision} with \`kubectl delete ${revision} -n ${namespace}\``;
  const status = `\`kubectl rollout status ${owner} -n ${namespace}\``;
  if (owner.startsWith('deployment/')) return `wait until the rolling update has ended, with ${status}`;
  if (owner.startsWith('statefulset/'))
    return `complete the rolling update of ${owner}: set its partition, if any, to 0, and wait with ${status}; with the update strategy OnDelete, delete its old pods`;
  return `update or delete ${owner}, whose controller Trimtab does not know`;
}

function podsText(pods: readonly string[], namespace: string): { what: string; remedy: string } {
  const one = pods.length === 1;
  return {
    what: `${one ? 'pod' : 'pods'} ${listed(pods)} ${one ? 'runs' : 'run'} the version`,
    remedy: `wait until ${one ? 'the pod is' : 'the pods are'} replaced, or delete ${one ? 'it' : 'them'} with \`kubectl delete pod ${pods.slice(0, 5).join(' ')} -n ${namespace}\``,
  };
}

/** A message names five objects at most. */
function listed(names: readonly string[]): string {
  const more = names.length - 5;
  return [...names.slice(0, 5), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
