import type { ClusterAccess } from '../access.ts';
import { entryAccess } from './entry-access.ts';
import { type Context, contextOf, type NamedEntry } from './kubeconfig-entries.ts';
import { type Kubeconfig, readKubeconfig } from './kubeconfig-file.ts';
import type { KubeconfigSource, LoadAccessOptions } from './load-access.ts';
import { unusable } from './unusable.ts';

/** Access as described by one context of a kubeconfig and by the flags that replace parts of it. */
export async function kubeconfigAccess(
  source: KubeconfigSource,
  options: LoadAccessOptions = {},
): Promise<ClusterAccess> {
  const config = await readKubeconfig(source);
  const context = chooseContext(config, options);
  const entries = {
    cluster: chooseCluster(config, context, options),
    user: chooseUser(config, context, options),
    namespace: context.namespace ?? 'default',
    origin: config.origin,
  };
  return entryAccess(entries, options);
}

/** As in kubectl, no context is required when flags choose the cluster. */
function chooseContext(config: Kubeconfig, options: LoadAccessOptions): Context {
  const name = options.context ?? config.currentContext;
  if (name !== undefined)
    return contextOf(find(config, 'contexts', name, `Available contexts: ${known(config, 'contexts')}.`));
  if ((options.cluster ?? options.server) !== undefined) return { name: '' };
  throw unusable(
    `${config.origin} has no current-context. Choose a context with --context; available contexts: ${known(config, 'contexts')}.`,
  );
}

function chooseCluster(config: Kubeconfig, context: Context, options: LoadAccessOptions): NamedEntry {
  if (options.cluster !== undefined) return findAsked(config, 'clusters', options.cluster);
  const name = context.cluster;
  const isKnown = config.clusters.some((entry) => entry.name === name);
  if (options.server !== undefined && !isKnown) return { name: name ?? '' };
  if (name === undefined)
    throw unusable(
      `The context '${context.name}' in ${config.origin} has no cluster. Choose a cluster with --cluster; available clusters: ${known(config, 'clusters')}.`,
    );
  return find(config, 'clusters', name, `Context '${context.name}' refers to it.`);
}

function chooseUser(config: Kubeconfig, context: Context, options: LoadAccessOptions): NamedEntry {
  if (options.user !== undefined) return findAsked(config, 'users', options.user);
  if (context.user === undefined) return { name: 'anonymous' };
  return find(config, 'users', context.user, `Context '${context.name}' refers to it.`);
}

type List = 'clusters' | 'users' | 'contexts';

/** Finds the entry that --cluster or --user names. */
function findAsked(config: Kubeconfig, list: 'clusters' | 'users', name: string): NamedEntry {
  return find(
    config,
    list,
    name,
    `--${list.slice(0, -1)} refers to it; available ${list}: ${known(config, list)}.`,
  );
}

function find(config: Kubeconfig, list: List, name: string, hint: string): NamedEntry {
  const entry = config[list].find((candidate) => candidate.name === name);
  if (entry !== undefined) return entry;
  throw unusable(`${config.origin} has no ${list.slice(0, -1)} '${name}'. ${hint}`);
}

function known(config: Kubeconfig, list: List): string {
  return config[list].map(({ name }) => name).join(', ') || 'none';
}
