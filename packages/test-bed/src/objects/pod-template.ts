import type { ObjectMeta } from '@trimtab/kube/wire.ts';
import type { Mod } from './build.ts';

type Reference = { name: string; optional?: boolean };

interface Probe {
  exec: { command: string[] };
  periodSeconds?: number;
  timeoutSeconds?: number;
  failureThreshold?: number;
}

interface Container {
  name: string;
  image: string;
  command?: string[];
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  env?: { name: string; value?: string; valueFrom?: { configMapKeyRef?: Reference & { key: string } } }[];
  envFrom?: { configMapRef?: Reference; secretRef?: Reference }[];
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
}

interface Volume {
  name: string;
  configMap?: Reference;
  secret?: { secretName: string };
}

export interface PodTemplate {
  metadata: ObjectMeta;
  spec: {
    containers: Container[];
    volumes?: Volume[];
    serviceAccountName?: string;
    terminationGracePeriodSeconds?: number;
    affinity?: unknown;
  };
}

/** A workload with a pod template: a Deployment, StatefulSet or DaemonSet. */
export interface Templated {
  spec: { template: PodTemplate };
}

/** A template with one container that sleeps. With simulated pods the image is only a name. */
export function podTemplate(app: string): PodTemplate {
  const app1: Container = { name: 'app', image: 'busybox', command: ['sleep', '3600'] };
  return {
    metadata: { labels: { app } },
    spec: { containers: [app1], terminationGracePeriodSeconds: 1 },
  };
}

export function mountingConfigMap(name: string, mountPath: string): Mod<Templated> {
  return mounting({ name: `configmap-${name}`, configMap: { name } }, mountPath);
}

export function mountingSecret(name: string, mountPath: string): Mod<Templated> {
  return mounting({ name: `secret-${name}`, secret: { secretName: name } }, mountPath);
}

export function envFromConfigMap(name: string): Mod<Templated> {
  return inEveryContainer((container) => {
    container.envFrom = [...(container.envFrom ?? []), { configMapRef: { name } }];
  });
}

export function envFromSecret(name: string): Mod<Templated> {
  return inEveryContainer((container) => {
    container.envFrom = [...(container.envFrom ?? []), { secretRef: { name } }];
  });
}

/** Sets one environment variable from one key of a ConfigMap. */
export function envFromKey(variable: string, configMapName: string, key: string): Mod<Templated> {
  return inEveryContainer((container) => {
    const valueFrom = { configMapKeyRef: { name: configMapName, key } };
    container.env = [...(container.env ?? []), { name: variable, valueFrom }];
  });
}

export function withImage(image: string): Mod<Templated> {
  return inEveryContainer((container) => {
    container.image = image;
  });
}

/** Adds a liveness probe that restarts the container when this file no longer exists. */
export function aliveWhile(file: string): Mod<Templated> {
  return inEveryContainer((container) => {
    container.livenessProbe = {
      exec: { command: ['test', '-e', file] },
      periodSeconds: 1,
      timeoutSeconds: 10,
      failureThreshold: 1,
    };
  });
}

/** Allows one pod per node: with more replicas than nodes, the surplus pods stay Pending. */
export function onNodesOfTheirOwn({ spec }: Templated): void {
  const { metadata, spec: podSpec } = spec.template;
  const labelSelector = { matchLabels: metadata.labels };
  const term = { labelSelector, topologyKey: 'kubernetes.io/hostname' };
  podSpec.affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
}

function mounting(volume: Volume, mountPath: string): Mod<Templated> {
  return (workload) => {
    const { spec } = workload.spec.template;
    spec.volumes = [...(spec.volumes ?? []), volume];
    for (const container of spec.containers)
      container.volumeMounts = [...(container.volumeMounts ?? []), { name: volume.name, mountPath }];
  };
}

function inEveryContainer(change: (container: Container) => void): Mod<Templated> {
  return (workload) => workload.spec.template.spec.containers.forEach(change);
}
