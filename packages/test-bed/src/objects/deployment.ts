import type { KubeObject } from '@trimtab/kube/wire.ts';
import { build, type Mod } from './build.ts';
import { type PodTemplate, podTemplate } from './pod-template.ts';
import type { Condition } from './summary.ts';

export interface Deployment extends KubeObject {
  spec: {
    replicas?: number;
    selector: { matchLabels: Record<string, string> };
    template: PodTemplate;
    strategy?: { type: string; rollingUpdate?: { maxSurge?: number; maxUnavailable?: number } };
    progressDeadlineSeconds?: number;
    paused?: boolean;
  };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    updatedReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    conditions?: Condition[];
  };
}

/** A Deployment with one replica whose pods are labelled `app: NAME`. */
export function deployment(name: string, ...mods: Mod<Deployment>[]): Deployment {
  const plain: Deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas: 1, selector: { matchLabels: { app: name } }, template: podTemplate(name) },
  };
  return build(plain, mods);
}

export function withReplicas(replicas: number): Mod<{ spec: { replicas?: number } }> {
  return ({ spec }) => {
    spec.replicas = replicas;
  };
}
