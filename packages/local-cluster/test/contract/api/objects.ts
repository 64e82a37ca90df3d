/** Objects as a person writes them: the least that the server takes. `meta` is a name, or all of the metadata. */

type Meta = string | { [field: string]: unknown };

const metadataOf = (meta: Meta) => (typeof meta === 'string' ? { name: meta } : meta);

export function configMap(meta: Meta, more: object = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadataOf(meta), ...more };
}

export function secret(meta: Meta, more: object = {}) {
  return { apiVersion: 'v1', kind: 'Secret', metadata: metadataOf(meta), ...more };
}

/** Nobody schedules it, so that it stays as the API server made it. */
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
 * A node that does not exist, of the area's own: a cluster deletes pods on a node that it has missed for forty seconds,
 * and it counts by the node's name.
 */
export const nowhere = ({ namespace }: { namespace: string }) => `nowhere-${namespace}`;

/** Without pods, so that the controllers of a whole cluster find nothing to do. */
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
