import type { ObjectMeta } from '../../../src/api/wire.ts';
import type { Mod } from './build.ts';

type Reference = { name: string };

interface Container {
  name: string;
  image: string;
  command?: string[];
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
  };
}

/** Everything that has a pod template: a mod for these fits all three kinds of workload. */
export interface Templated {
  spec: { template: PodTemplate };
}

/** One container that waits to be stopped. The image is a name only where pods are simulated. */
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

/** One environment variable from one key. */
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
