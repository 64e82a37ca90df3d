import type { BedState } from './state/bed-state.ts';

const controlPlane = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

/** The names of the programs that a whole bed runs. The holder of the namespaces comes first: all others need it. */
export function expectedDaemons(state: BedState): string[] {
  return [
    ...(state.level === 2 ? ['namespaces', 'relay'] : []),
    ...controlPlane,
    ...(state.level === 2 ? ['containerd', 'kubelet', 'kube-proxy'] : []),
    ...(state.level === 1 || state.nodes > 0 ? ['kwok'] : []),
  ];
}
