import { type Bed, binary, containersOf } from '../bed.ts';
import { call } from '../control-plane/api.ts';
import { ready, start } from '../control-plane/control-plane.ts';
import { writeIfChanged } from '../state/write-if-changed.ts';
import { podSubnet } from './network.ts';

const healthPort = 10256;

/** Starts kube-proxy, which makes Services reachable from pods and from the bed's network. */
export async function ensureKubeProxy(bed: Bed): Promise<void> {
  const config = bed.folder.at('kube-proxy.json');
  writeIfChanged(config, JSON.stringify(configuration(bed), null, 2));
  await start(bed, { name: 'kube-proxy', command: [binary(bed, 'kube-proxy'), `--config=${config}`] });
  await ready(bed, ['kube-proxy'], async () => {
    const at = { host: '127.0.0.1', port: healthPort, plain: true };
    return (await call(bed, { path: '/livez', at })).status === 200;
  });
}

function configuration(bed: Bed): object {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    clientConnection: { kubeconfig: bed.folder.at('kube-proxy.kubeconfig') },
    mode: 'nftables',
    nodePortAddresses: ['primary'],
    clusterCIDR: podSubnet,
    hostnameOverride: containersOf(bed).node,
    healthzBindAddress: `127.0.0.1:${healthPort}`,
    metricsBindAddress: '127.0.0.1:10249',
    // 0 leaves the kernel's settings unchanged: they belong to the host.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  };
}
