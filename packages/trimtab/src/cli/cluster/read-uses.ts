import type { KubeClient } from '@trimtab/kube/client.ts';
import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import {
  configResources,
  cronJobs,
  daemonSets,
  deployments,
  jobs,
  type Resource,
  replicaSets,
  replicationControllers,
  statefulSets,
  workloadResources,
} from '@trimtab/kube/resource.ts';
import { isForbidden } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { type ConfigRollout, configRollouts } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { assignedObjects } from '../../core/references/assigned-versions.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { type ConfigKey, configKey, readConfigKey } from '../../core/references/config-key.ts';
import { mayBeVersionOf, rolloutName } from '../../core/version/object-names.ts';
import { versionMetadata } from '../../core/version/version-metadata.ts';
import { listConfigVersions, readRollout } from '../../versions/read-config.ts';
import { listPermitted } from '../../versions/reads/list-permitted.ts';
import { listPods } from '../../versions/reads/list-pods.ts';
import type { PodObject } from '../../view/pod-use.ts';
import {
  type KnownConfig,
  type Owned,
  referencedObjects,
  type Use,
  useOf,
  usesOfConfig,
} from '../../view/uses/uses.ts';
import { CommandFailure } from '../failure.ts';
import type { WorkloadArgument } from '../object-argument.ts';

/** Resources that the caller may not list or read, such as `pods`. */
interface Permitted<T> {
  found: T;
  hidden: string[];
}

/** Everything that makes pods, and pods themselves. */
const users: readonly Resource[] = [
  deployments,
  statefulSets,
  daemonSets,
  replicationControllers,
  replicaSets,
  cronJobs,
  jobs,
];

/** A version whose name is not known, because the caller may not read its object. */
const unknownVersion = '<unknown>';

/** Reads who uses a config. The config may not exist: then `exists` is false. */
export async function readUsesOfConfig(
  client: KubeClient,
  address: ConfigAddress,
): Promise<Permitted<Use[]> & { exists: boolean }> {
  const { kind, namespace, name } = address;
  const [rollout, live, listed, pods, ...lists] = await Promise.all([
    readRollout(client, address),
    readLiveMetadata(client, address),
    permitted(listConfigVersions(client, address)),
    listPods<PodObject>(client, namespace),
    ...users.map((resource) => listPermitted(client, resource, { namespace })),
  ]);
  const objects = [...lists.flatMap((list) => list ?? []), ...(pods?.pods ?? [])];
  const versions = new Map([
    ...objects
      .flatMap((object) => namedBy(object))
      .filter((each) => each.kind === kind && mayBeVersionOf(name, each.name))
      .map((each): [string, string] => [each.name, unknownVersion]),
    ...summarized(rollout),
  ]);
  if (listed !== undefined) versions.clear();
  for (const { version } of listed ?? []) versions.set(version.object, version.name);
  const hiddenUsers = users.filter((_, index) => lists[index] === undefined);
  const found = usesOfConfig(
    { kind, name, rollout, live, versions },
    objects,
    ownedBy(pods, lists, hiddenUsers),
    new Set(hiddenUsers.map((each) => each.kind)),
  );
  const { plural } = configResources[kind];
  return {
    found,
    exists: live !== undefined || rollout !== undefined,
    hidden: [
      ...hiddenUsers.map(qualified),
      ...(pods === undefined ? ['pods'] : pods.hidden),
      ...(listed === undefined ? [plural] : []),
    ],
  };
}

/** Reads which configs a workload uses. Throws the 404 of the API server when the workload does not exist. */
export async function readUsesOfWorkload(
  client: KubeClient,
  namespace: string,
  { kind, name }: WorkloadArgument,
): Promise<Permitted<Use[]>> {
  const [user, rollouts, pods, sets] = await Promise.all([
    client.get<KubeObject>(workloadResources[kind], { namespace, name }),
    listPermitted<ConfigRollout>(client, configRollouts, { namespace }),
    listPods<PodObject>(client, namespace),
    kind === 'Deployment' ? listPermitted(client, replicaSets, { namespace }) : [],
  ]);
  // Without them, nothing could be said about versions and management.
  if (rollouts === undefined)
    throw new CommandFailure(`cannot list ConfigRollouts in namespace ${namespace}`, {
      hint: `this needs the verb "list" on "${qualified(configRollouts)}" in namespace ${namespace}; ask your administrator to grant it`,
    });
  const configs = await knownConfigs(client, namespace, user, rollouts);
  const owned = ownedBy(pods, [sets], sets === undefined ? [replicaSets] : []);
  return {
    found: configs.flatMap((config) => useOf(config, user, owned) ?? []),
    hidden: [
      ...(pods === undefined ? ['pods'] : pods.hidden),
      ...(sets === undefined ? [qualified(replicaSets)] : []),
      ...unreadKinds(configs),
    ],
  };
}

/** The configs that a workload names, directly or through a version. */
async function knownConfigs(
  client: KubeClient,
  namespace: string,
  user: KubeObject,
  rollouts: readonly ConfigRollout[],
): Promise<KnownConfig[]> {
  const named = await Promise.all(
    namedBy(user).map(async ({ kind, name }) => {
      const object = await readLiveMetadata(client, { kind, namespace, name });
      const version = typeof object === 'object' ? versionOf(kind, object) : undefined;
      // The name tells which config it may be a version of to those who may not read it.
      const guessed = object === 'unknown' ? rollouts.find((each) => isOf(each, kind, name)) : undefined;
      const config = version?.config ?? guessed?.spec.config.name ?? name;
      return { kind, name, object, version: version?.name, config };
    }),
  );
  const byConfig = new Map<ConfigKey, typeof named>();
  for (const each of named) {
    const key = configKey(each.kind, each.config);
    byConfig.set(key, [...(byConfig.get(key) ?? []), each]);
  }
  return Promise.all(
    [...byConfig].map(async ([key, members]) => {
      const { kind, name } = readConfigKey(key);
      const rollout = rollouts.find(({ metadata }) => metadata.name === rolloutName(kind, name));
      const versions = summarized(rollout);
      for (const each of members.filter((member) => member.name !== name))
        versions.set(each.name, each.version ?? versions.get(each.name) ?? unknownVersion);
      const itself = members.find((member) => member.name === name);
      const live = itself ? itself.object : await readLiveMetadata(client, { kind, namespace, name });
      return { kind, name, rollout, live, versions };
    }),
  );
}

/** The objects that a template references, and those that its workload is assigned for a reload. */
function namedBy(object: KubeObject) {
  const assigned = assignedObjects(object.metadata.annotations?.[annotations.versions]);
  const byKey = new Map(
    [...referencedObjects(object), ...assigned].map((each) => [configKey(each.kind, each.name), each]),
  );
  return [...byKey.values()];
}

/** The versions that the status names, for callers who may not list the versions. */
function summarized(rollout: ConfigRollout | undefined): Map<string, string> {
  const { current, target } = rollout?.status ?? {};
  return new Map([current, target].flatMap((each) => (each ? [[each.object, each.version] as const] : [])));
}

function isOf({ spec }: ConfigRollout, kind: string, object: string): boolean {
  return (
    spec.config.kind === kind && (spec.config.name === object || mayBeVersionOf(spec.config.name, object))
  );
}

function versionOf(kind: ConfigAddress['kind'], { metadata }: KubeObject) {
  const { namespace = '', name = '', uid = '', labels = {}, annotations: own = {} } = metadata;
  return versionMetadata({ kind, namespace, name, uid, labels, annotations: own, ownerReferences: [] });
}

async function readLiveMetadata(
  client: KubeClient,
  { kind, namespace, name }: ConfigAddress,
): Promise<KubeObject | 'unknown' | undefined> {
  try {
    return await getIfExists<KubeObject>(
      client,
      configResources[kind],
      { namespace, name },
      { projection: 'metadata' },
    );
  } catch (error) {
    if (isForbidden(error)) return 'unknown';
    throw error;
  }
}

async function permitted<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

/** Without the ReplicaSets or Jobs between a user and its pods, the number of its pods is not known. */
function ownedBy(
  pods: Awaited<ReturnType<typeof listPods<PodObject>>>,
  lists: readonly (KubeObject[] | undefined)[],
  hidden: readonly Resource[],
): Owned | undefined {
  if (pods === undefined || hidden.includes(replicaSets) || hidden.includes(jobs)) return undefined;
  return { ...pods, owners: lists.flatMap((list) => list ?? []) };
}

function unreadKinds(configs: readonly KnownConfig[]): string[] {
  const kinds = configs.filter(({ live }) => live === 'unknown').map(({ kind }) => kind);
  return [...new Set(kinds)].map((kind) => configResources[kind].plural);
}

function qualified({ plural, group }: Pick<Resource, 'plural' | 'group'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}
