import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Mod } from '@trimtab/test-bed/objects/build.ts';
import type { Deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromConfigMap, podTemplate, type Templated } from '@trimtab/test-bed/objects/pod-template.ts';

/** Makes a pod template reference this ConfigMap and no other. */
export function naming(configMap: string): Mod<Templated> {
  return (workload) => {
    for (const container of workload.spec.template.spec.containers)
      container.envFrom = [{ configMapRef: { name: configMap } }];
  };
}

export function keepingRevisions(revisionHistoryLimit: number): Mod<{ spec: object }> {
  return ({ spec }) => {
    Object.assign(spec, { revisionHistoryLimit });
  };
}

/** A Deployment that is created paused gets no ReplicaSet. */
export function paused(workload: Deployment): void {
  workload.spec.paused = true;
}

export function barePod(name: string, configMap: string): KubeObject {
  const templated: Templated = { spec: { template: podTemplate(name) } };
  envFromConfigMap(configMap)(templated);
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: templated.spec.template.spec };
  return pod;
}

export function loneReplicaSet(name: string, configMap: string): KubeObject {
  const spec = { replicas: 0, selector: { matchLabels: { app: name } }, template: podTemplate(name) };
  const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name }, spec };
  envFromConfigMap(configMap)(set);
  return set;
}
