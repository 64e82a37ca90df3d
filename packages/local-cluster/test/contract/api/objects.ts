// Minimal objects that the server accepts. `meta` is a name or the complete metadata.

type Meta = string | { [field: string]: unknown };

const metadataOf = (meta: Meta) => (typeof meta === 'string' ? { name: meta } : meta);

export function configMap(meta: Meta, more: object = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadataOf(meta), ...more };
}

export function secret(meta: Meta, more: object = {}) {
  return { apiVersion: 'v1', kind: 'Secret', metadata: metadataOf(meta), ...more };
}

/** The scheduler name is that of no scheduler, so the pod stays as the API server created it. */
export function pod(meta: Meta, spec: object = {}) {
  return { apiVersion: 'v1', kind: 'Pod', metadata: metadataOf(meta), spec: { ...podSpec(), ...spec } };
}

export function podSpec() {
  return {
    schedulerName: 'nobody',
    automountServiceAccountToken: false,
    containers: [{ name: 'app', image: 'app:1' }],
  };
}

/**
 * A node that does not exist, with a separate name for each area: a cluster deletes the pods on a node that is missing
 * for forty seconds, and tracks that time by the name of the node.
 */
export const nowhere = ({ namespace }: { namespace: string }) => `nowhere-${namespace}`;

/** Without pods, so the controllers of a complete cluster have nothing to do. */
export function deployment(meta: Meta, spec: object = {}) {
  return workload('Deployment', meta, { replicas: 0, ...spec });
}

export function workload(
  kind: 'Deployment' | 'ReplicaSet' | 'StatefulSet' | 'DaemonSet',
  meta: Meta,
  spec: object,
) {
  const labels = { app: 'app' };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: metadataOf(meta),
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec() }, ...spec },
  };
}

export function replicationController(meta: Meta, spec: object = {}) {
  const template = { metadata: { labels: { app: 'app' } }, spec: podSpec() };
  return {
    apiVersion: 'v1',
    kind: 'ReplicationController',
    metadata: metadataOf(meta),
    spec: { replicas: 0, template, ...spec },
  };
}

export function podTemplate(meta: Meta, templateMeta: object = {}) {
  const template = { metadata: templateMeta, spec: podSpec() };
  return { apiVersion: 'v1', kind: 'PodTemplate', metadata: metadataOf(meta), template };
}

export function service(meta: Meta, spec: object) {
  return { apiVersion: 'v1', kind: 'Service', metadata: metadataOf(meta), spec };
}

export function resourceQuota(meta: Meta, spec: object) {
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata: metadataOf(meta), spec };
}

export function limitRange(meta: Meta, limits: readonly object[]) {
  return { apiVersion: 'v1', kind: 'LimitRange', metadata: metadataOf(meta), spec: { limits } };
}
