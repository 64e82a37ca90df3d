import { mkdirSync } from 'node:fs';
import { type Bed, containersOf } from '../bed.ts';
import { ready, start } from '../control-plane/control-plane.ts';
import { ensureBaseImages, pauseImage } from '../images/base-images.ts';
import { findProgram } from '../prerequisites.ts';
import { run } from '../process/run.ts';
import { writeIfChanged } from '../state/write-if-changed.ts';
import type { Progress } from '../terminal/progress.ts';
import { ctr } from './ctr.ts';
import { bridge, bridgeAddress, podSubnet } from './network.ts';

/** Starts containerd and loads the base images. */
export async function ensureContainerd(bed: Bed, progress: Progress): Promise<void> {
  const { folder } = bed;
  mkdirSync(folder.at('cni'), { recursive: true });
  writeIfChanged(folder.at('containerd.toml'), configuration(bed));
  writeIfChanged(folder.at('cni', '10-bridge.conflist'), JSON.stringify(network));
  await start(bed, {
    name: 'containerd',
    command: [findProgram('containerd') ?? 'containerd', '--config', folder.at('containerd.toml')],
  });
  await ready(bed, ['containerd'], async () => {
    await run(ctr(bed, 'version'));
    return true;
  });
  await ensureBaseImages(bed);
  progress.step('containerd ready, images loaded');
}

/** Pods can reach only the bridge and each other: the network has no connection to the outside. */
const network = {
  cniVersion: '0.4.0',
  name: 'bed',
  plugins: [
    {
      type: 'bridge',
      bridge,
      isGateway: true,
      ipMasq: false,
      hairpinMode: true,
      ipam: {
        type: 'host-local',
        ranges: [[{ subnet: podSubnet, gateway: bridgeAddress }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
  ],
};

function configuration(bed: Bed): string {
  const text = (value: string) => JSON.stringify(value);
  const { socket } = containersOf(bed);
  // Snapshotters that are not available on this machine would only log errors.
  const unused = ['btrfs', 'zfs', 'aufs', 'devmapper'].map((name) => `io.containerd.snapshotter.v1.${name}`);
  return `version = 2
root = ${text(bed.folder.at('containerd'))}
state = "/run/containerd"
oom_score = 0
disabled_plugins = ${JSON.stringify([...unused, 'io.containerd.tracing.processor.v1.otlp', 'io.containerd.internal.v1.tracing'])}
[grpc]
  address = ${text(socket)}
[ttrpc]
  address = ${text(`${socket}.ttrpc`)}
[plugins."io.containerd.internal.v1.opt"]
  path = ${text(bed.folder.at('containerd-opt'))}
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = ${text(pauseImage)}
  # A score below that of containerd needs CAP_SYS_RESOURCE.
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        BinaryName = ${text(findProgram('runc') ?? 'runc')}
        SystemdCgroup = false
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = ${text(bed.folder.at('cni'))}
`;
}
