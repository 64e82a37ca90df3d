import type { KubeObject } from '@trimtab/kube/wire.ts';
import { agentImage } from './agent-image.ts';

/** The namespace of the pod for configs without a namespace. */
export const namespaceVariable = {
  name: 'TRIMTAB_AGENT_NAMESPACE',
  valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } },
};

/** The agent as a native sidecar that writes the ConfigMap `nginx` to /config. */
export function agentSidecar(args: readonly string[], more: object = {}): object {
  return {
    name: 'agent',
    image: agentImage,
    restartPolicy: 'Always',
    args: ['--configroot=/config', '--configmap=nginx', ...args],
    env: [namespaceVariable],
    volumeMounts: [{ name: 'config', mountPath: '/config' }],
    startupProbe: { httpGet: { path: '/readyz', port: 8082 }, periodSeconds: 1, failureThreshold: 60 },
    ...more,
  };
}

/** A pod whose containers share their processes and these volumes, each mounted at /NAME. */
export function sharingPod(name: string, volumes: readonly string[], spec: object): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: {
      serviceAccountName: 'config-reader',
      shareProcessNamespace: true,
      terminationGracePeriodSeconds: 0,
      volumes: volumes.map((each) => ({ name: each, emptyDir: {} })),
      ...spec,
    },
  } as KubeObject;
}

export function mountsOf(volumes: readonly string[]): object[] {
  return volumes.map((name) => ({ name, mountPath: `/${name}` }));
}
