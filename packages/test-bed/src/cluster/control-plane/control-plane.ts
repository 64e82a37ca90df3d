import { join } from 'node:path';
import { type Bed, binary } from '../bed.ts';
import { type DaemonSpec, ensureDaemon, lastLogLines, requireAlive } from '../process/daemon.ts';
import { waitFor } from '../process/wait-for.ts';
import { writeIfChanged } from '../state/write-if-changed.ts';
import type { Progress } from '../terminal/progress.ts';
import { ageEtcd } from './age-etcd.ts';
import { call } from './api.ts';
import { certificateFile, keyFile } from './pki.ts';

const auditPolicy = join(import.meta.dirname, 'audit-policy.yaml');

/** With the defaults (20 and 50 requests per second), thousands of KWOK pods take five times as long. */
const queriesPerSecond = 200;
const burst = 400;

/** Starts etcd and the API server. Does not wait for the API server. */
export async function startServers(bed: Bed): Promise<void> {
  await start(bed, etcd(bed));
  await ready(bed, ['etcd'], async () => {
    const at = { host: '127.0.0.1', port: bed.state.ports.etcd, plain: true };
    return (await call(bed, { path: '/health', at })).status === 200;
  });
  await ageEtcd(bed);
  await start(bed, apiServer(bed));
}

export async function serversReady(bed: Bed, progress: Progress): Promise<void> {
  await ready(bed, ['kube-apiserver', 'etcd'], async () => {
    const answer = await call(bed, { path: '/readyz' });
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body.slice(0, 300)}`);
    return true;
  });
  progress.step('API server ready');
}

/** Starts the scheduler and the controller manager. Needs a ready API server. */
export async function ensureControllers(bed: Bed, progress: Progress): Promise<void> {
  await start(bed, controllerManager(bed));
  await start(bed, scheduler(bed));
  const { ports } = bed.state;
  const healthy = (port: number) => async () =>
    (await call(bed, { path: '/healthz', at: { host: '127.0.0.1', port } })).status === 200;
  await ready(bed, ['kube-controller-manager'], healthy(ports.controllerManager));
  await ready(bed, ['kube-scheduler'], healthy(ports.scheduler));
  // Pods need this service account. The controller manager creates it shortly after it reports healthy.
  await ready(bed, ['kube-controller-manager'], async () => {
    const path = '/api/v1/namespaces/default/serviceaccounts/default';
    return (await call(bed, { path })).status === 200;
  });
  progress.step('scheduler and controller manager ready');
}

/** Starts a daemon inside the bed's namespaces unless it is running. */
export async function start(bed: Bed, spec: DaemonSpec): Promise<void> {
  await ensureDaemon(bed.folder, { ...spec, command: [...bed.within, ...spec.command] });
}

/** Waits until the probe succeeds. Throws with the end of the log when one of the daemons exits. */
export async function ready(
  bed: Bed,
  daemons: readonly string[],
  probe: () => Promise<boolean>,
  what = `${daemons[0]} to be ready`,
): Promise<void> {
  await waitFor({
    what,
    seconds: 60,
    probe,
    check: () => {
      for (const daemon of daemons) requireAlive(bed.folder, daemon);
    },
    details: () => lastLogLines(bed.folder, daemons[0] ?? ''),
  });
}

function etcd(bed: Bed): DaemonSpec {
  const client = `http://127.0.0.1:${bed.state.ports.etcd}`;
  const peer = `http://127.0.0.1:${bed.state.ports.etcdPeer}`;
  return {
    name: 'etcd',
    command: [
      binary(bed, 'etcd'),
      `--data-dir=${bed.folder.at('etcd')}`,
      '--unsafe-no-fsync', // the data need not survive a power cut
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      '--quota-backend-bytes=4294967296',
      '--log-level=warn',
    ],
  };
}

function apiServer(bed: Bed): DaemonSpec {
  const { folder, state } = bed;
  const pair = (name: string, certificateFlag: string, keyFlag: string) => [
    `--${certificateFlag}=${certificateFile(folder, name)}`,
    `--${keyFlag}=${keyFile(folder, name)}`,
  ];
  return {
    name: 'kube-apiserver',
    command: [
      binary(bed, 'kube-apiserver'),
      `--etcd-servers=http://127.0.0.1:${state.ports.etcd}`,
      `--bind-address=${bed.address}`,
      `--advertise-address=${bed.address}`,
      `--secure-port=${state.ports.api}`,
      '--service-cluster-ip-range=10.96.0.0/16',
      `--client-ca-file=${certificateFile(folder, 'ca')}`,
      ...pair('apiserver', 'tls-cert-file', 'tls-private-key-file'),
      ...pair('apiserver-kubelet-client', 'kubelet-client-certificate', 'kubelet-client-key'),
      `--kubelet-certificate-authority=${certificateFile(folder, 'ca')}`,
      '--kubelet-preferred-address-types=InternalIP',
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      `--service-account-key-file=${folder.at('pki', 'service-accounts.pub')}`,
      `--service-account-signing-key-file=${keyFile(folder, 'service-accounts')}`,
      '--authorization-mode=Node,RBAC',
      '--enable-admission-plugins=NodeRestriction',
      '--allow-privileged=true',
      `--audit-policy-file=${auditPolicy}`,
      `--audit-log-path=${state.auditLog}`,
      '--audit-log-maxsize=10000', // megabytes: the log must not rotate while a test reads it
    ],
  };
}

function controllerManager(bed: Bed): DaemonSpec {
  const { folder } = bed;
  return {
    name: 'kube-controller-manager',
    command: [
      binary(bed, 'kube-controller-manager'),
      ...serverFlags(bed, 'kube-controller-manager', bed.state.ports.controllerManager),
      `--kubeconfig=${folder.at('kube-controller-manager.kubeconfig')}`,
      '--leader-elect=false',
      '--use-service-account-credentials=true',
      `--service-account-private-key-file=${keyFile(folder, 'service-accounts')}`,
      `--root-ca-file=${certificateFile(folder, 'ca')}`,
      `--cluster-signing-cert-file=${certificateFile(folder, 'ca')}`,
      `--cluster-signing-key-file=${keyFile(folder, 'ca')}`,
      '--allocate-node-cidrs=false',
      `--flex-volume-plugin-dir=${folder.at('flex-volumes')}`, // the default is a folder of the host
      `--kube-api-qps=${queriesPerSecond}`,
      `--kube-api-burst=${burst}`,
    ],
  };
}

function scheduler(bed: Bed): DaemonSpec {
  const config = bed.folder.at('scheduler.json');
  const content = {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    clientConnection: {
      kubeconfig: bed.folder.at('kube-scheduler.kubeconfig'),
      qps: queriesPerSecond,
      burst,
    },
    leaderElection: { leaderElect: false },
  };
  writeIfChanged(config, JSON.stringify(content));
  return {
    name: 'kube-scheduler',
    command: [
      binary(bed, 'kube-scheduler'),
      ...serverFlags(bed, 'kube-scheduler', bed.state.ports.scheduler),
      `--config=${config}`,
    ],
  };
}

function serverFlags(bed: Bed, name: string, port: number): string[] {
  const kubeconfig = bed.folder.at(`${name}.kubeconfig`);
  return [
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${bed.folder.at('self-signed', name)}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
  ];
}
