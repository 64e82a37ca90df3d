import { mkdirSync } from 'node:fs';
import { type Bed, binary, containersOf } from '../bed.ts';
import { call } from '../control-plane/api.ts';
import { ready, start } from '../control-plane/control-plane.ts';
import { certificateFile, keyFile } from '../control-plane/pki.ts';
import { writeIfChanged } from '../state/write-if-changed.ts';
import type { Progress } from '../terminal/progress.ts';
import { ensureCgroup } from './cgroups.ts';
import { ensureKubeProxy } from './kube-proxy.ts';

const healthPort = 10248;
const servingPort = 10250;

/** Starts the kubelet and kube-proxy, and waits until the node is Ready. Needs containerd and a ready API server. */
export async function ensureNode(bed: Bed, progress: Progress): Promise<void> {
  const { folder } = bed;
  const { node } = containersOf(bed);
  ensureCgroup(folder.id);
  mkdirSync(folder.at('kubelet'), { recursive: true });
  writeIfChanged(folder.at('kubelet.json'), JSON.stringify(configuration(bed), null, 2));
  await start(bed, {
    name: 'kubelet',
    command: [
      binary(bed, 'kubelet'),
      `--config=${folder.at('kubelet.json')}`,
      `--kubeconfig=${folder.at('kubelet.kubeconfig')}`,
      `--root-dir=${folder.at('kubelet')}`,
      `--cert-dir=${folder.at('kubelet', 'pki')}`,
      `--node-ip=${bed.address}`,
      `--hostname-override=${node}`,
    ],
  });
  await ready(bed, ['kubelet'], async () => {
    const at = { host: '127.0.0.1', port: healthPort, plain: true };
    return (await call(bed, { path: '/healthz', at })).status === 200;
  });
  // The port for logs and exec opens later. Any response is sufficient: this request is not authorised.
  await ready(bed, ['kubelet'], async () => {
    return (await call(bed, { path: '/', at: { host: bed.address, port: servingPort } })).status > 0;
  });
  await ready(bed, ['kubelet', 'containerd'], () => isNodeReady(bed, node), `node ${node} to be Ready`);
  progress.step(`node ${node} Ready`);
  // Start kube-proxy after the node has its address: kube-proxy exits when it observes a change of the address.
  await ensureKubeProxy(bed);
  progress.step('kube-proxy ready');
}

async function isNodeReady(bed: Bed, node: string): Promise<boolean> {
  const answer = await call(bed, { path: `/api/v1/nodes/${node}` });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body.slice(0, 300)}`);
  const { status } = JSON.parse(answer.body) as {
    status: { conditions?: { type: string; status: string; message: string }[] };
  };
  const condition = status.conditions?.find((each) => each.type === 'Ready');
  if (condition?.status === 'True') return true;
  throw new Error(condition?.message ?? 'the node has no conditions yet');
}

function configuration(bed: Bed): object {
  const { folder } = bed;
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: bed.address,
    port: servingPort,
    healthzBindAddress: '127.0.0.1',
    healthzPort: healthPort,
    readOnlyPort: 0,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: certificateFile(folder, 'ca') },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: certificateFile(folder, 'kubelet-server'),
    tlsPrivateKeyFile: keyFile(folder, 'kubelet-server'),
    containerRuntimeEndpoint: `unix://${containersOf(bed).socket}`,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${folder.id}`,
    failCgroupV1: false,
    failSwapOn: false,
    oomScoreAdj: 0,
    maxOpenFiles: 20_000,
    evictionHard: {
      'memory.available': '100Mi',
      'nodefs.available': '1%',
      'imagefs.available': '1%',
      'nodefs.inodesFree': '1%',
    },
    // Disables image garbage collection: there is no registry to pull removed images from.
    imageGCHighThresholdPercent: 100,
    clusterDomain: 'cluster.local',
    // There is no name server: without a resolv.conf, lookups fail immediately instead of after a timeout.
    resolvConf: '',
    podLogsDir: folder.at('kubelet', 'logs'),
    volumePluginDir: folder.at('kubelet', 'volume-plugins'),
    makeIPTablesUtilChains: false,
  };
}
