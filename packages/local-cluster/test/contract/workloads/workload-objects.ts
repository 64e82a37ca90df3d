import type { KubeObject } from '@trimtab/kube/wire.ts';
import { build, type Mod } from '@trimtab/test-bed/objects/build.ts';
import type { Deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { type PodTemplate, podTemplate } from '@trimtab/test-bed/objects/pod-template.ts';

interface ReplicaSet extends KubeObject {
  spec: {
    replicas?: number;
    minReadySeconds?: number;
    selector: { matchLabels: Record<string, string> };
    template: PodTemplate;
  };
}

/** A ReplicaSet with one replica whose pods are labelled `app: NAME`. */
export function replicaSet(name: string, ...mods: Mod<ReplicaSet>[]): ReplicaSet {
  const plain: ReplicaSet = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name },
    spec: { replicas: 1, selector: { matchLabels: { app: name } }, template: podTemplate(name) },
  };
  return build(plain, mods);
}

interface ReplicationController extends KubeObject {
  spec: { replicas?: number; selector?: Record<string, string>; template: PodTemplate };
}

/** A ReplicationController with one replica whose pods are labelled `app: NAME`. */
export function replicationController(
  name: string,
  ...mods: Mod<ReplicationController>[]
): ReplicationController {
  const plain: ReplicationController = {
    apiVersion: 'v1',
    kind: 'ReplicationController',
    metadata: { name },
    spec: { replicas: 1, template: podTemplate(name) },
  };
  return build(plain, mods);
}

/** A pod without a controller. */
export function lonePod(name: string, app: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', ...podTemplate(app), metadata: { name, labels: { app } } };
}

export function rolling(maxSurge: number | string, maxUnavailable: number | string): Mod<Deployment> {
  return withSpec({ strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } });
}

export const recreating: Mod<Deployment> = withSpec({ strategy: { type: 'Recreate' } });

/** Sets fields that the plain builder leaves to the server's defaults. */
export function withSpec(fields: object): Mod<{ spec: object }> {
  return ({ spec }) => {
    Object.assign(spec, fields);
  };
}

/** A template that differs from the plain one only in an annotation of its pods. */
export function template(app: string, note: string, behaviour?: string): PodTemplate {
  const plain = podTemplate(app);
  const annotations = { note, ...(behaviour && { 'bed.trimtab.dev/behaviour': behaviour }) };
  return { ...plain, metadata: { ...plain.metadata, annotations } };
}
