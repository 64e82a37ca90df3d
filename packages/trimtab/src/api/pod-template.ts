import type { ObjectMeta } from '@trimtab/kube/wire.ts';

/** The fields of a pod template that Trimtab reads and writes. Objects keep their other fields. */
export interface PodTemplate {
  metadata?: ObjectMeta;
  spec?: PodSpec;
}

export interface PodSpec {
  containers?: Container[];
  initContainers?: Container[];
  /** On running pods only, added by `kubectl debug`. */
  ephemeralContainers?: Container[];
  volumes?: Volume[];
  serviceAccountName?: string;
  shareProcessNamespace?: boolean;
  hostPID?: boolean;
  hostNetwork?: boolean;
  os?: { name?: string };
  securityContext?: { runAsUser?: number; runAsNonRoot?: boolean; fsGroup?: number };
  /** Resources of the pod as a whole, which Kubernetes supports since 1.34. */
  resources?: ResourceRequirements;
}

export interface Container {
  name: string;
  /** `Always` makes an init container a sidecar. */
  restartPolicy?: string;
  env?: EnvVar[];
  envFrom?: EnvFromSource[];
  volumeMounts?: VolumeMount[];
  ports?: { containerPort?: number; protocol?: string }[];
  resources?: ResourceRequirements;
  securityContext?: { runAsUser?: number; runAsNonRoot?: boolean };
  livenessProbe?: unknown;
  readinessProbe?: unknown;
}

/** Quantities are strings such as `100m`; YAML allows plain numbers, too. */
export interface ResourceRequirements {
  requests?: Record<string, string | number>;
  limits?: Record<string, string | number>;
}

export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: {
    configMapKeyRef?: KeySelector;
    secretKeyRef?: KeySelector;
    fieldRef?: { fieldPath: string };
    /** A variable of a file in an emptyDir volume, which Kubernetes supports since 1.35. */
    fileKeyRef?: { volumeName: string; path: string; key: string };
  };
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

export interface VolumeMount {
  name: string;
  mountPath: string;
  subPath?: string;
  subPathExpr?: string;
  readOnly?: boolean;
}

export interface KeyToPath {
  key: string;
  path: string;
  mode?: number;
}

export interface Volume {
  name: string;
  configMap?: { name?: string; items?: KeyToPath[]; optional?: boolean; defaultMode?: number };
  secret?: { secretName?: string; items?: KeyToPath[]; optional?: boolean; defaultMode?: number };
  projected?: { sources?: ProjectedSource[] | null; defaultMode?: number };
  emptyDir?: { medium?: string; sizeLimit?: string };
}

export interface ProjectedSource {
  configMap?: { name?: string; items?: KeyToPath[]; optional?: boolean };
  secret?: { name?: string; items?: KeyToPath[]; optional?: boolean };
  downwardAPI?: { items?: { path: string; mode?: number }[] };
  serviceAccountToken?: { path: string; audience?: string; expirationSeconds?: number };
  clusterTrustBundle?: { path: string };
  podCertificate?: { credentialBundlePath?: string; keyPath?: string; certificateChainPath?: string };
}
