import { build } from '@trimtab/test-bed/objects/build.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { reloadedBy } from './real-reload.ts';

export interface ReloadedPod {
  containers: object[];
  /** Folders of all containers, each with the source of its volume, such as `{ '/etc/foo': { configMap: { name: 'foo' } } }`. */
  mounts: Record<string, object>;
  /** Further fields of the pod's spec. */
  spec?: object;
  replicas?: number;
  settings?: Parameters<typeof reloadedBy>[0];
}

/** A Deployment whose pods are reloaded. The first container is `app`. */
export function reloadedDeployment(name: string, pod: ReloadedPod): Deployment {
  const sources = Object.entries(pod.mounts);
  const volumeMounts = sources.map(([mountPath], index) => ({ name: `volume-${index}`, mountPath }));
  return build(deployment(name), [
    ({ spec }) => {
      spec.replicas = pod.replicas ?? 1;
      Object.assign(spec.template.spec, {
        terminationGracePeriodSeconds: 0,
        volumes: sources.map(([, source], index) => ({ name: `volume-${index}`, ...source })),
        containers: pod.containers.map((container, index) => ({
          name: index === 0 ? 'app' : `other-${index}`,
          volumeMounts,
          ...container,
        })),
        ...pod.spec,
      });
    },
    reloadedBy(pod.settings),
  ]);
}
