import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Candidate, ValueRequest } from '@trimtab/kube/flags/complete.ts';
import type { ParsedFlags } from '@trimtab/kube/flags/flags.ts';
import { accessOptions } from '@trimtab/kube/identity/access-flags.ts';
import { kubeconfigNames } from '@trimtab/kube/identity/load-access.ts';
import { configResources, namespaces, type Resource, workloadResources } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { configLabelValue } from '../../core/version/object-names.ts';
import type { WorkloadKind } from '../../core/workload/observed.ts';
import type { clusterFlags } from '../client-command.ts';
import { openCluster } from '../cluster/cluster.ts';
import { configArgument, objectArgument } from '../object-argument.ts';

/** A shell waits for the answer while the user does. */
const timeoutMs = 2_000;

/** A longer list does not help a user, and takes time. */
const limit = 500;

/** The namespace and a client that reads names only. */
interface Names {
  namespace: string;
  list(resource: Resource, labelSelector?: string): Promise<KubeObject[]>;
}

type Values = (names: Names, request: ValueRequest) => Promise<Candidate[]>;

/** What positional arguments and flags of commands may declare as `completes`, besides `file` and `folder`. */
const values: Readonly<Record<string, Values>> = {
  namespace: async ({ list }) => nameOnly(await list(namespaces)),
  /** Any ConfigMap or Secret, without versions. */
  config: (names, { prefix }) => configNames(names, prefix),
  /** A config that has a ConfigRollout. */
  'managed-config': async ({ list }, { prefix }) => managedNames(await list(configRollouts), prefix),
  /** A version of the config that was typed before. */
  version: versionNames,
  workload: workloadNames,
  /** A workload or a config. */
  object: async (names, request) => {
    const found = await Promise.all([workloadNames(names, request), configNames(names, request.prefix)]);
    return found.flat();
  },
};

/** Names of the kubeconfig, which need no cluster. */
const kubeconfigValues: Readonly<Record<string, 'contexts' | 'clusters' | 'users'>> = {
  context: 'contexts',
  cluster: 'clusters',
  user: 'users',
};

/** Reads values with the flags that are typed already. Any failure means no values: a shell must not print errors. */
export async function clusterValues(
  request: ValueRequest,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Candidate[]> {
  try {
    const flags = typedFlags(request.given);
    const entries = kubeconfigValues[request.kind];
    if (entries !== undefined)
      return (await kubeconfigNames(accessOptions(flags), env))[entries].map((value) => ({ value }));
    const read = values[request.kind];
    if (read === undefined) return [];
    const cluster = await openCluster(
      accessOptions(flags),
      { namespace: flags.namespace, requestTimeoutMs: timeoutMs },
      env,
    );
    try {
      return await read(
        { namespace: cluster.namespace, list: lister(cluster.client, cluster.namespace) },
        request,
      );
    } finally {
      cluster.close();
    }
  } catch {
    return [];
  }
}

function lister(client: KubeClient, namespace: string): Names['list'] {
  const signal = AbortSignal.timeout(timeoutMs);
  return async (resource, labelSelector) => {
    const { items } = await client.list(resource, {
      ...(resource.namespaced && { namespace }),
      ...(labelSelector !== undefined && { labelSelector }),
      ...{ projection: 'metadata', limit, signal },
    });
    return items;
  };
}

/** The values of the flags as `parseConfig` returns them, without any check: the command line is not complete. */
function typedFlags(given: ValueRequest['given']): ParsedFlags<typeof clusterFlags> {
  const lists = new Set(['asGroup']);
  const booleans = new Set(['insecureSkipTlsVerify']);
  const entries = [...given].map(([key, typed]) => {
    if (lists.has(key)) return [key, typed];
    return [key, booleans.has(key) ? typed.at(-1) === 'true' : typed.at(-1)];
  });
  return { asGroup: [], ...Object.fromEntries(entries) };
}

async function configNames(names: Names, prefix: string): Promise<Candidate[]> {
  const type = typeOf(prefix);
  const plain = `!${labels.versionOf}`;
  if (type === undefined) {
    const found = nameOnly(await names.list(configResources.ConfigMap, plain));
    return [...found, { value: 'configmap/' }, { value: 'secret/' }];
  }
  const kind = kindOf(type);
  if (kind !== 'ConfigMap' && kind !== 'Secret') return [];
  return nameOnly(await names.list(configResources[kind], plain), `${type}/`);
}

/** The name of a ConfigRollout is the kind and the name of its config. */
function managedNames(rollouts: readonly KubeObject[], prefix: string): Candidate[] {
  const type = typeOf(prefix);
  return rollouts.flatMap(({ metadata: { name = '' } }) => {
    const [, kind, config] = /^(configmap|secret)-(.*)$/.exec(name) ?? [];
    if (config === undefined) return [];
    if (type !== undefined)
      return kindOf(type)?.toLowerCase() === kind ? [{ value: `${type}/${config}` }] : [];
    return [{ value: kind === 'secret' ? `secret/${config}` : config }];
  });
}

async function versionNames(names: Names, { positionals }: ValueRequest): Promise<Candidate[]> {
  const typed = positionals['config'] ?? Object.values(positionals)[0];
  if (typed === undefined) return [];
  const { kind, name } = configArgument(typed);
  const selector = `${labels.config}=${configLabelValue(name)},${labels.versionOf}`;
  const versions = await names.list(configResources[kind], selector);
  return versions.flatMap(({ metadata }) => {
    const value = metadata.annotations?.[annotations.version];
    if (value === undefined || metadata.annotations?.[annotations.config] !== name) return [];
    return [{ value, help: metadata.labels?.[labels.state] ?? '' }];
  });
}

async function workloadNames(names: Names, { prefix }: ValueRequest): Promise<Candidate[]> {
  const type = typeOf(prefix);
  const kind = type === undefined ? undefined : kindOf(type);
  if (type !== undefined && !isWorkload(kind)) return [];
  const kinds = isWorkload(kind) ? [kind] : workloadKinds;
  const found = await Promise.all(
    kinds.map(async (each) =>
      nameOnly(await names.list(workloadResources[each]), `${type ?? each.toLowerCase()}/`),
    ),
  );
  return found.flat();
}

const workloadKinds = Object.keys(workloadResources) as WorkloadKind[];

function isWorkload(kind: string | undefined): kind is WorkloadKind {
  return workloadKinds.some((each) => each === kind);
}

/** `cm` of `cm/fo`; undefined before the slash is typed. */
function typeOf(prefix: string): string | undefined {
  return prefix.includes('/') ? prefix.slice(0, prefix.indexOf('/')) : undefined;
}

function kindOf(type: string): ConfigKind | WorkloadKind | undefined {
  try {
    return objectArgument(`${type}/x`).kind;
  } catch {
    return undefined;
  }
}

function nameOnly(objects: readonly KubeObject[], prefix = ''): Candidate[] {
  return objects.map(({ metadata }) => ({ value: `${prefix}${metadata.name}` }));
}
