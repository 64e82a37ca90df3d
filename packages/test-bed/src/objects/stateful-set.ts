import type { KubeObject } from '@trimtab/kube/wire.ts';
import { build, type Mod } from './build.ts';
import { type PodTemplate, podTemplate } from './pod-template.ts';

interface UpdateStrategy {
  type: 'RollingUpdate' | 'OnDelete';
  rollingUpdate?: { partition?: number };
}

export interface StatefulSet extends KubeObject {
  spec: {
    replicas?: number;
    serviceName: string;
    selector: { matchLabels: Record<string, string> };
    template: PodTemplate;
    updateStrategy?: UpdateStrategy;
  };
  status?: { replicas?: number; readyReplicas?: number; updatedReplicas?: number; updateRevision?: string };
}

/** A StatefulSet with one replica whose pods are labelled `app: NAME`. */
export function statefulSet(name: string, ...mods: Mod<StatefulSet>[]): StatefulSet {
  const plain: StatefulSet = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name },
    spec: {
      replicas: 1,
      serviceName: name,
      selector: { matchLabels: { app: name } },
      template: podTemplate(name),
    },
  };
  return build(plain, mods);
}

export function updatedBy(strategy: UpdateStrategy): Mod<StatefulSet> {
  return ({ spec }) => {
    spec.updateStrategy = strategy;
  };
}
