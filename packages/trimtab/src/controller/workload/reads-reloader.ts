import type { ConfigLookup } from '../../core/from-reloader/opt-ins.ts';
import { parseManage } from '../../core/workload/opt-in.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import { configMetadataOf } from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';

/** Whether annotations of Reloader count on this workload. Its own annotation `trimtab.dev/manage` replaces them. */
export function readsReloader(
  { cluster, reloaderAnnotations }: Pick<ControllerContext, 'cluster' | 'reloaderAnnotations'>,
  { namespace, annotations }: Pick<Workload, 'namespace' | 'annotations'>,
): boolean {
  if (!reloaderAnnotations) return false;
  const manage = parseManage(annotations);
  const isUnsaid = 'problem' in manage || manage.value.mode === 'unsaid';
  return isUnsaid && isInScope(cluster, namespace);
}

function isInScope({ namespaces }: ClusterCache, namespace: string): boolean {
  return namespaces === undefined || namespaces.cache.get(namespace)?.isForReloader === true;
}

/** What the opt-ins of Reloader depend on in the configs of a namespace. */
export function configsForReloader(cluster: ClusterCache, namespace: string): ConfigLookup {
  return (kind, name) => configMetadataOf(cluster, namespace, kind, name);
}
