/** Identifies a resource of the Kubernetes API. Resources that the code uses are constants in this file. */
export interface Resource {
  /** '' for the core group. */
  group: string;
  version: string;
  plural: string;
  kind: string;
  namespaced: boolean;
}

function define(group: string, version: string, kind: string, plural: string, namespaced = true): Resource {
  return { group, version, plural, kind, namespaced };
}

export const configMaps = define('', 'v1', 'ConfigMap', 'configmaps');
export const secrets = define('', 'v1', 'Secret', 'secrets');
export const pods = define('', 'v1', 'Pod', 'pods');
export const events = define('', 'v1', 'Event', 'events');
export const namespaces = define('', 'v1', 'Namespace', 'namespaces', false);
export const nodes = define('', 'v1', 'Node', 'nodes', false);
export const services = define('', 'v1', 'Service', 'services');
export const serviceAccounts = define('', 'v1', 'ServiceAccount', 'serviceaccounts');
export const resourceQuotas = define('', 'v1', 'ResourceQuota', 'resourcequotas');
export const replicationControllers = define('', 'v1', 'ReplicationController', 'replicationcontrollers');
export const deployments = define('apps', 'v1', 'Deployment', 'deployments');
export const statefulSets = define('apps', 'v1', 'StatefulSet', 'statefulsets');
export const daemonSets = define('apps', 'v1', 'DaemonSet', 'daemonsets');
export const replicaSets = define('apps', 'v1', 'ReplicaSet', 'replicasets');
export const controllerRevisions = define('apps', 'v1', 'ControllerRevision', 'controllerrevisions');
export const jobs = define('batch', 'v1', 'Job', 'jobs');
export const cronJobs = define('batch', 'v1', 'CronJob', 'cronjobs');
export const leases = define('coordination.k8s.io', 'v1', 'Lease', 'leases');
export const endpointSlices = define('discovery.k8s.io', 'v1', 'EndpointSlice', 'endpointslices');

export const configResources: Record<'ConfigMap' | 'Secret', Resource> = {
  ConfigMap: configMaps,
  Secret: secrets,
};

export const workloadResources: Record<'Deployment' | 'StatefulSet' | 'DaemonSet', Resource> = {
  Deployment: deployments,
  StatefulSet: statefulSets,
  DaemonSet: daemonSets,
};

export function apiVersion(resource: Resource): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** Returns a path such as `/api/v1/namespaces/default/configmaps/foo/status`; each part of `where` is optional. */
export function resourcePath(
  resource: Resource,
  where: { namespace?: string; name?: string; subresource?: string } = {},
): string {
  const root = resource.group === '' ? '/api' : `/apis/${resource.group}`;
  const parts = [root, resource.version];
  if (resource.namespaced && where.namespace !== undefined)
    parts.push('namespaces', segment(where.namespace));
  parts.push(resource.plural);
  if (where.name !== undefined) parts.push(segment(where.name));
  if (where.subresource !== undefined) parts.push(where.subresource);
  return parts.join('/');
}

/** Rejects names that change the path (`..`, empty), because the request would address another resource. */
function segment(name: string): string {
  if (name === '' || name === '.' || name === '..')
    throw new RangeError(`'${name}' is not a valid name of a resource`);
  return encodeURIComponent(name);
}
