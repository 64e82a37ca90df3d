import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '@trimtab/kube/clock.ts';
import { ViewBuilder } from './build-view.ts';
import { enterView } from './enter-view.ts';
import { planView } from './plan-view.ts';
import { thisMachine } from './this-machine.ts';

/** Programs of util-linux and coreutils that create and enter views. Full paths, because a container may set PATH. */
export interface MountTools {
  unshare: string;
  nsenter: string;
  env: string;
  /** Search path for `mount`, `cp` and `pivot_root`. */
  path: string;
  /** The user that programs run as; set unless the kubelet runs as root. */
  user?: { uid: number; gid: number };
}

/** How containers see their volumes. */
export type MountMode = { way: 'namespaces'; tools: MountTools } | { way: 'folders'; because: string };

/** Timeout of the probe: an unresponsive file system must not block the start of the cluster. */
const patienceMs = 20_000;

/** Probes for mount namespaces by creating a view with a file that this machine lacks, and reading that file in it. */
export async function probeMounts(folder: string): Promise<MountMode> {
  if (process.platform !== 'linux')
    return { way: 'folders', because: `${process.platform} has no mount namespaces` };
  const tools = findTools();
  if ('missing' in tools) return { way: 'folders', because: `${tools.missing} is not installed` };
  const where = path.join(folder, 'mount-probe');
  try {
    const source = path.join(where, 'source');
    await mkdir(source, { recursive: true });
    await writeFile(path.join(source, 'file'), 'seen');
    const target = '/mount-probe/folder';
    const mount = { path: target, source, isFolder: true, isReadOnly: true };
    const signal = AbortSignal.timeout(patienceMs);
    const plan = planView(thisMachine, [mount]);
    const views = new ViewBuilder({ folder: path.join(where, 'views'), tools, clock: systemClock });
    const view = await views.build(path.join(where, 'view'), plan, signal).finally(() => views.close());
    try {
      const [program = '', ...args] = enterView(view.namespaces, tools, target, ['cat', 'file']);
      const { stdout } = await promisify(execFile)(program, args, {
        env: { PATH: tools.path },
        signal,
      });
      return stdout === 'seen'
        ? { way: 'namespaces', tools }
        : { way: 'folders', because: 'a file mounted by the probe was not visible' };
    } finally {
      view.close();
    }
  } catch (error) {
    const [because = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return { way: 'folders', because };
  } finally {
    await rm(where, { recursive: true, force: true });
  }
}

/** Describes in one line how volumes are mounted. */
export function describeMounts(mounts: MountMode): string {
  return mounts.way === 'namespaces'
    ? 'volumes are mounted at their real paths, in a mount namespace for each container'
    : `volumes are under $POD_ROOT, not at their mount paths: ${mounts.because}`;
}

function findTools(): MountTools | { missing: string } {
  const searchPath = `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`;
  const found = new Map<string, string>();
  for (const name of ['unshare', 'nsenter', 'env', 'mount', 'umount', 'pivot_root', 'cp', 'sh', 'readlink']) {
    const file = searchPath
      .split(':')
      .map((folder) => path.join(folder, name))
      .find((each) => path.isAbsolute(each) && isExecutable(each));
    if (file === undefined) return { missing: name };
    found.set(name, file);
  }
  const [uid = 0, gid = 0] = [process.getuid?.(), process.getgid?.()];
  const of = (name: string) => found.get(name) ?? name;
  return {
    unshare: of('unshare'),
    nsenter: of('nsenter'),
    env: of('env'),
    path: searchPath,
    ...(uid !== 0 && { user: { uid, gid } }),
  };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
