import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { LabelSelector } from '../apiserver/selector/object-selector.ts';
import type { IntOrString, PodTemplate } from './pod.ts';

/** Workloads as their controllers read them, with the defaults of the API server. */

export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastUpdateTime?: string;
  lastTransitionTime?: string;
}

export interface Deployment extends KubeObject {
  spec: {
    replicas: number;
    selector: LabelSelector;
    template: PodTemplate;
    strategy: {
      type: 'RollingUpdate' | 'Recreate';
      rollingUpdate?: { maxSurge: IntOrString; maxUnavailable: IntOrString };
    };
    minReadySeconds?: number;
    revisionHistoryLimit: number;
    progressDeadlineSeconds: number;
    paused?: boolean;
  };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    updatedReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    unavailableReplicas?: number;
    terminatingReplicas?: number;
    collisionCount?: number;
    conditions?: Condition[];
  };
}

export interface ReplicaSet extends KubeObject {
  spec: { replicas: number; selector: LabelSelector; template: PodTemplate; minReadySeconds?: number };
  status?: {
    replicas: number;
    fullyLabeledReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    terminatingReplicas?: number;
    observedGeneration?: number;
    conditions?: Condition[];
  };
}

export interface ReplicationController extends KubeObject {
  spec: Omit<ReplicaSet['spec'], 'selector'> & { selector: Record<string, string> };
  status?: Omit<NonNullable<ReplicaSet['status']>, 'terminatingReplicas'>;
}

export interface StatefulSet extends KubeObject {
  spec: {
    replicas: number;
    selector: LabelSelector;
    template: PodTemplate;
    serviceName?: string;
    podManagementPolicy: 'OrderedReady' | 'Parallel';
    updateStrategy: {
      type: 'RollingUpdate' | 'OnDelete';
      rollingUpdate?: { partition?: number; maxUnavailable?: IntOrString };
    };
    revisionHistoryLimit: number;
    minReadySeconds?: number;
    ordinals?: { start?: number };
    volumeClaimTemplates?: unknown[];
  };
  status?: {
    observedGeneration?: number;
    replicas: number;
    readyReplicas?: number;
    availableReplicas?: number;
    currentReplicas?: number;
    updatedReplicas?: number;
    currentRevision?: string;
    updateRevision?: string;
    collisionCount?: number;
  };
}

export interface DaemonSet extends KubeObject {
  spec: {
    selector: LabelSelector;
    template: PodTemplate;
    updateStrategy: {
      type: 'RollingUpdate' | 'OnDelete';
      rollingUpdate?: { maxUnavailable?: IntOrString; maxSurge?: IntOrString };
    };
    minReadySeconds?: number;
    revisionHistoryLimit: number;
  };
  status?: {
    currentNumberScheduled: number;
    numberMisscheduled: number;
    desiredNumberScheduled: number;
    numberReady: number;
    observedGeneration?: number;
    updatedNumberScheduled?: number;
    numberAvailable?: number;
    numberUnavailable?: number;
    collisionCount?: number;
  };
}

export interface ControllerRevision extends KubeObject {
  data: unknown;
  revision: number;
}
