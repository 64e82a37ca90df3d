import type { KubeClient } from '@trimtab/kube/client.ts';
import { systemClock } from '@trimtab/kube/clock.ts';
import { configResources, serviceAccounts } from '@trimtab/kube/resource.ts';
import { isForbidden } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import { type ConfigRollout, configRollouts } from '../../api/config-rollout.ts';
import { labels } from '../../api/names.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { type ConfigKey, configKey } from '../../core/references/config-key.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { statedVersions } from '../../core/version/stated-versions.ts';
import { type VersionMetadata, versionMetadata } from '../../core/version/version-metadata.ts';
import { managedWorkloads } from '../../core/workload/managed-workloads.ts';
import {
  isLimited,
  mountableSecrets,
  type ServiceAccount,
  secretWorkloads,
} from '../../core/workload/mountable-secrets.ts';
import type { WorkloadKind } from '../../core/workload/observed.ts';
import { hasOptedOut } from '../../core/workload/opt-out-waits.ts';
import { workload as reduceWorkload } from '../../core/workload/reduce-workload.ts';
import { rolloutsInGroup } from '../../core/workload/rollouts-in-group.ts';
import { readLive, readVersion } from '../read-config.ts';
import { listPermitted } from './list-permitted.ts';
import { type ListedWorkloads, listWorkloads } from './list-workloads.ts';
import { readCurrentVersion } from './read-current-version.ts';

interface VersionWithContent {
  version: VersionMetadata;
  body: ConfigBody;
}

interface PlanInput<Workload> extends ListedWorkloads<Workload> {
  rollout: ConfigRollout;
  target: VersionWithContent;
  current: VersionWithContent | undefined;
  others: ConfigRollout[];
  versions: VersionMetadata[];
  live: Map<ConfigKey, ConfigBody | 'missing'>;
  mountable: Map<string, ReadonlySet<string>>;
  now: number;
}

/** Reads what the preview of an activation needs, with the rights of the client. */
export async function readPlanInput<Workload extends KubeObject>(
  client: KubeClient,
  address: ConfigAddress,
  rollout: ConfigRollout,
  target: VersionWithContent,
  signal: AbortSignal,
): Promise<PlanInput<Workload>> {
  const now = (await readCurrentVersion(client, address, rollout, signal))?.name;
  const { namespace } = address;
  const [current, listed, rollouts, ...versions] = await Promise.all([
    now === undefined ? undefined : readVersion(client, address, rollout, now, signal),
    listWorkloads<Workload>(client, namespace, signal),
    listPermitted<ConfigRollout>(client, configRollouts, { namespace, signal }),
    ...Object.values(configResources).map((resource) =>
      listPermitted(client, resource, {
        ...{ namespace, signal, labelSelector: labels.versionOf },
        projection: 'metadata',
      }),
    ),
  ]);
  const kinds = Object.keys(configResources) as ConfigKind[];
  const others = (rollouts ?? []).filter(({ metadata }) => metadata.uid !== rollout.metadata.uid);
  // An edit in release mode Auto is activated together with this config, or makes it wait.
  const group = rolloutsInGroup(rollout, others);
  const edited = group.filter(({ spec }) => spec.release === 'Auto');
  const configs = [
    address,
    ...edited.map(({ spec }) => spec.config),
    ...configsOfOptedOut(listed.workloads, rollouts ?? []),
  ];
  const ofKind = (kind: ConfigKind) => others.filter(({ spec }) => spec.config.kind === kind);
  const unlisted = kinds.filter((_, index) => versions[index] === undefined);
  const isMissed = (kind: ConfigKind) =>
    kind === address.kind || rollouts === undefined || ofKind(kind).length > 0;
  const mountable = await readMountable(client, namespace, [rollout, ...group], listed.workloads, signal);
  return {
    rollout,
    target,
    current,
    workloads: listed.workloads,
    others,
    versions: kinds.flatMap(
      (kind, index) =>
        versions[index]?.flatMap((each) => versionIn(kind, each)) ?? ofKind(kind).flatMap(statedVersions),
    ),
    live: await readLiveConfigs(client, namespace, configs, signal),
    mountable: mountable ?? new Map(),
    hidden: [
      ...listed.hidden,
      ...(rollouts === undefined ? [configRollouts.plural] : []),
      ...(mountable === undefined ? [serviceAccounts.plural] : []),
      ...unlisted.filter(isMissed).map((kind) => configResources[kind].plural),
    ],
    now: systemClock.now(),
  };
}

/**
 * Which Secrets the pods of these rollouts can use, by the name of their ServiceAccount, where it limits them. Undefined
 * when the client may not list ServiceAccounts, which are only read for workloads that use managed Secrets.
 */
async function readMountable(
  client: KubeClient,
  namespace: string,
  rollouts: readonly ConfigRollout[],
  workloads: readonly KubeObject[],
  signal: AbortSignal,
): Promise<Map<string, ReadonlySet<string>> | undefined> {
  const keys = new Set(secretWorkloads(rollouts));
  const users = workloads
    .filter(({ kind, metadata }) => keys.has(`${kind}/${metadata.name}`))
    .map((object) => reduceWorkload(object.kind as WorkloadKind)(object))
    .filter(({ references }) => references.some(isLimited));
  if (users.length === 0) return new Map();
  const used = new Set(users.map(({ serviceAccount }) => serviceAccount));
  const accounts = await listPermitted<ServiceAccount>(client, serviceAccounts, { namespace, signal });
  return (
    accounts &&
    new Map(
      accounts.flatMap((account) => {
        const [name = '', allowed] = [account.metadata.name, mountableSecrets(account)];
        return allowed !== undefined && used.has(name) ? [[name, allowed] as const] : [];
      }),
    )
  );
}

/** An opt-out waits while the content of a config is not released. */
function configsOfOptedOut(
  workloads: readonly KubeObject[],
  rollouts: readonly ConfigRollout[],
): ConfigRollout['spec']['config'][] {
  const optedOut = new Set(
    workloads
      .filter(({ metadata }) => hasOptedOut({ annotations: metadata.annotations ?? {} }))
      .map(({ kind, metadata }) => `${kind}/${metadata.name}`),
  );
  return rollouts
    .filter((each) => managedWorkloads(each).some((key) => optedOut.has(key)))
    .map(({ spec }) => spec.config);
}

/** Leaves out configs that the client may not read. */
async function readLiveConfigs(
  client: KubeClient,
  namespace: string,
  configs: readonly ConfigRollout['spec']['config'][],
  signal: AbortSignal,
): Promise<Map<ConfigKey, ConfigBody | 'missing'>> {
  const byKey = new Map(configs.map(({ kind, name }) => [configKey(kind, name), { kind, namespace, name }]));
  const read = await Promise.all(
    [...byKey].map(async ([key, address]) => {
      try {
        return [[key, (await readLive(client, address, signal)) ?? ('missing' as const)] as const];
      } catch (error) {
        if (isForbidden(error)) return [];
        throw error;
      }
    }),
  );
  return new Map(read.flat());
}

function versionIn(kind: ConfigKind, { metadata: own }: KubeObject): VersionMetadata[] {
  const version = versionMetadata({
    kind,
    namespace: own.namespace ?? '',
    name: own.name ?? '',
    uid: own.uid ?? '',
    labels: own.labels ?? {},
    annotations: own.annotations ?? {},
    ownerReferences: own.ownerReferences ?? [],
  });
  return version === undefined ? [] : [version];
}
