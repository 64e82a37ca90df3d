import type { Deployment, ReplicaSet } from '../../src/objects/workloads.ts';

/** Workloads as controllers read them from the API server, for tests of pure functions. */

export interface DeploymentTraits {
  name?: string;
  replicas?: number;
  maxSurge?: number | string;
  maxUnavailable?: number | string;
  recreate?: boolean;
  image?: string;
  generation?: number;
  annotations?: Record<string, string>;
  spec?: Partial<Deployment['spec']>;
  status?: NonNullable<Deployment['status']>;
}

export function deploymentOf(traits: DeploymentTraits = {}): Deployment {
  const { name = 'web', replicas = 3, maxSurge = 1, maxUnavailable = 0, recreate = false } = traits;
  return {
    metadata: {
      name,
      namespace: 'ns',
      uid: 'deployment-uid',
      generation: traits.generation ?? 1,
      ...(traits.annotations && { annotations: traits.annotations }),
    },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: templateOf(traits.image),
      strategy: recreate
        ? { type: 'Recreate' }
        : { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      ...traits.spec,
    },
    ...(traits.status && { status: traits.status }),
  };
}

export interface SetTraits {
  image?: string;
  replicas?: number;
  available?: number;
  /** Number of existing pods. Defaults to `replicas`. */
  present?: number;
  /** Minute of the creation time; a smaller value is older. */
  made?: number;
  revision?: number | string;
  desired?: number;
  max?: number;
  annotations?: Record<string, string>;
  status?: Partial<NonNullable<ReplicaSet['status']>>;
}

const prefix = 'deployment.kubernetes.io/';

export function setOf(name: string, traits: SetTraits = {}): ReplicaSet {
  const { replicas = 3, made = 0, image, revision, desired, max } = traits;
  const { available = replicas, present = replicas } = traits;
  return {
    metadata: {
      name,
      namespace: 'ns',
      uid: `${name}-uid`,
      generation: 1,
      creationTimestamp: `2026-01-01T00:${String(made).padStart(2, '0')}:00Z`,
      annotations: {
        ...(revision !== undefined && { [`${prefix}revision`]: String(revision) }),
        ...(desired !== undefined && { [`${prefix}desired-replicas`]: String(desired) }),
        ...(max !== undefined && { [`${prefix}max-replicas`]: String(max) }),
        ...traits.annotations,
      },
    },
    spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: templateOf(image) },
    status: {
      replicas: present,
      readyReplicas: available,
      availableReplicas: available,
      observedGeneration: 1,
      terminatingReplicas: 0,
      ...traits.status,
    },
  };
}

export function templateOf(image = 'v1'): Deployment['spec']['template'] {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image }] } };
}
