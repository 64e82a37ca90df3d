import type { ApiObject, StoredMeta } from '../../object.ts';
import type { FieldReference, ResourceReference } from './downward-references.ts';

// These types declare the fields of a pod that the server reads; it stores all other fields unchanged.

export interface Probe {
  httpGet?: { path?: string; scheme?: string };
  grpc?: { service?: string };
  timeoutSeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
}

interface Handler {
  httpGet?: { path?: string; scheme?: string };
}

interface ContainerPort {
  name?: string;
  containerPort: number;
  hostPort?: number;
  protocol?: string;
}

export interface KeyReference {
  name: string;
  key: string;
}

export interface FileReference {
  volumeName: string;
  path: string;
  key: string;
}

interface EnvironmentVariable {
  name: string;
  value?: string;
  valueFrom?: {
    fieldRef?: FieldReference;
    resourceFieldRef?: ResourceReference;
    configMapKeyRef?: KeyReference;
    secretKeyRef?: KeyReference;
    fileKeyRef?: FileReference;
    [source: string]: unknown;
  };
}

export interface Container {
  name: string;
  image?: string;
  imagePullPolicy?: string;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  ports?: ContainerPort[];
  env?: EnvironmentVariable[];
  resources?: { limits?: Record<string, string>; requests?: Record<string, string> };
  volumeMounts?: {
    name: string;
    mountPath: string;
    readOnly?: boolean;
    subPath?: string;
    subPathExpr?: string;
  }[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: { postStart?: Handler; preStop?: Handler };
  restartPolicy?: string;
  /** Of ephemeral containers only. */
  targetContainerName?: string;
}

interface DownwardItem {
  fieldRef?: { apiVersion?: string };
}

export interface Volume {
  name: string;
  configMap?: { defaultMode?: number };
  secret?: { defaultMode?: number };
  downwardAPI?: { defaultMode?: number; items?: DownwardItem[] };
  projected?: {
    defaultMode?: number;
    sources?: {
      serviceAccountToken?: { expirationSeconds?: number; path?: string };
      downwardAPI?: { items?: (DownwardItem & { path?: string })[] };
      configMap?: { name?: string; items?: { key: string; path: string }[] };
    }[];
  };
  hostPath?: { type?: string };
  emptyDir?: object;
  [source: string]: unknown;
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

export interface PodSpec {
  containers: Container[] | null;
  initContainers?: Container[];
  ephemeralContainers?: Container[];
  volumes?: Volume[];
  restartPolicy?: string;
  terminationGracePeriodSeconds?: number;
  dnsPolicy?: string;
  serviceAccountName?: string;
  serviceAccount?: string;
  automountServiceAccountToken?: boolean;
  securityContext?: object;
  schedulerName?: string;
  nodeName?: string;
  hostNetwork?: boolean;
  tolerations?: Toleration[];
  priority?: number;
  priorityClassName?: string;
  preemptionPolicy?: string;
  enableServiceLinks?: boolean;
  imagePullSecrets?: { name?: string }[];
  activeDeadlineSeconds?: number;
  readinessGates?: { conditionType: string }[];
  schedulingGates?: { name: string }[];
  nodeSelector?: Record<string, string>;
  affinity?: { nodeAffinity?: unknown; [other: string]: unknown };
}

interface ContainerState {
  waiting?: { reason?: string };
  running?: { startedAt?: string | null };
  terminated?: { reason?: string; exitCode: number; signal?: number; finishedAt?: string | null };
}

export interface ContainerStatus {
  name: string;
  ready: boolean;
  started?: boolean;
  restartCount: number;
  state?: ContainerState;
  lastState?: ContainerState;
}

export interface Pod extends ApiObject {
  spec: PodSpec;
  status: {
    phase?: string;
    qosClass?: string;
    reason?: string;
    podIP?: string;
    podIPs?: { ip: string }[];
    nominatedNodeName?: string;
    conditions?: {
      type: string;
      status: string;
      reason?: string;
      message?: string;
      lastTransitionTime?: string;
      lastProbeTime?: string | null;
    }[];
    containerStatuses?: ContainerStatus[];
    initContainerStatuses?: ContainerStatus[];
  };
}

export interface PodTemplate {
  metadata?: StoredMeta;
  spec: PodSpec;
}
