import type { KubeObject } from '@trimtab/kube/wire.ts';
import { build, type Mod } from './build.ts';
import { type PodTemplate, podTemplate } from './pod-template.ts';

export interface DaemonSet extends KubeObject {
  spec: {
    selector: { matchLabels: Record<string, string> };
    template: PodTemplate;
    updateStrategy?: { type: 'RollingUpdate' | 'OnDelete' };
  };
  status?: { desiredNumberScheduled?: number; numberReady?: number; updatedNumberScheduled?: number };
}

/** A DaemonSet whose pods are labelled `app: NAME`. */
export function daemonSet(name: string, ...mods: Mod<DaemonSet>[]): DaemonSet {
  const plain: DaemonSet = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name },
    spec: { selector: { matchLabels: { app: name } }, template: podTemplate(name) },
  };
  return build(plain, mods);
}
