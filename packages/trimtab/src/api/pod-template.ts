import type { ObjectMeta } from '@trimtab/kube/wire.ts';

/** The fields of a pod template that reference ConfigMaps and Secrets. Objects keep their other fields. */
export interface PodTemplate {
  metadata?: ObjectMeta;
  spec?: PodSpec;
}

export interface PodSpec {
  containers?: Container[];
  initContainers?: Container[];
  volumes?: Volume[];
}

export interface Container {
  name: string;
  env?: EnvVar[];
  envFrom?: EnvFromSource[];
  volumeMounts?: VolumeMount[];
  livenessProbe?: unknown;
  readinessProbe?: unknown;
}

interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: { configMapKeyRef?: KeySelector; secretKeyRef?: KeySelector };
}

interface KeySelector {
  /** Kubernetes allows an empty name, which references nothing. */
  name?: string;
  key: string;
  optional?: boolean;
}

interface EnvFromSource {
  prefix?: string;
  configMapRef?: { name?: string; optional?: boolean };
  secretRef?: { name?: string; optional?: boolean };
}

interface VolumeMount {
  name: string;
  mountPath: string;
  subPath?: string;
}

export interface KeyToPath {
  key: string;
  path: string;
}

export interface Volume {
  name: string;
  configMap?: { name?: string; items?: KeyToPath[]; optional?: boolean };
  secret?: { secretName?: string; items?: KeyToPath[]; optional?: boolean };
  projected?: { sources?: ProjectedSource[] | null };
}

interface ProjectedSource {
  configMap?: { name?: string; items?: KeyToPath[]; optional?: boolean };
  secret?: { name?: string; items?: KeyToPath[]; optional?: boolean };
}
