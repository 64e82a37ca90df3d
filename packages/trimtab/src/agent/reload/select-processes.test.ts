import { describe, expect, test } from 'vitest';
import type { Mount, Process } from './process.ts';
import { containerOf, selectProcesses } from './select-processes.ts';

const rootOf = (device: string): Mount => ({ device, root: '/', mountPoint: '/' });
const kubelet = '/var/lib/kubelet/pods';

/** The mounts of a container of a pod: its image, its termination log, and the volume `config` at a path. */
function container(name: string, volumeAt?: string, { pod = 'p1', subPath = '' } = {}): Mount[] {
  return [
    rootOf(`0:${name.length + 50}`),
    {
      device: '8:1',
      root: `${kubelet}/${pod}/containers/${name}/0a1b2c`,
      mountPoint: '/dev/termination-log',
    },
    ...(volumeAt === undefined
      ? []
      : [
          {
            device: '8:1',
            root: `${kubelet}/${pod}/volumes/kubernetes.io~empty-dir/config${subPath}`,
            mountPoint: volumeAt,
          },
        ]),
  ];
}

function started(
  pid: number,
  parent: number,
  command: string,
  mounts: readonly Mount[],
  rest: Partial<Process> = {},
): Process {
  const signals = { caught: 0n, blocked: 0n, ignored: 0n };
  const startTicks = pid * 10;
  const common = { uid: 0, isZombie: false, isSleeping: true, signals, startTicks, arguments: [command] };
  return { pid, parent, command, mounts, ...common, ...rest };
}

const agent = started(20, 0, 'trimtab-agent', container('agent', '/config'));
const pause = started(1, 0, 'pause', [rootOf('0:99')]);
const nginxMounts = container('web', '/etc/nginx');
const nginx = [
  started(7, 0, 'nginx', nginxMounts, { arguments: ['nginx: master process nginx -g daemon off;'] }),
  started(8, 7, 'nginx', nginxMounts, { arguments: ['nginx: worker process'], uid: 101 }),
  started(9, 7, 'nginx', nginxMounts, { arguments: ['nginx: worker process'], uid: 101 }),
];

function pidsOf(
  processes: Process[],
  selector: Parameters<typeof selectProcesses>[1],
  { self = agent, configRoot = '/config' } = {},
): number[] {
  return selectProcesses([self, ...processes], selector, { self, configRoot }).map(({ pid }) => pid);
}

describe('a process is selected by its name', () => {
  test('nginx is its master, and not the workers', () => {
    expect(pidsOf([pause, ...nginx], { process: 'nginx' })).toEqual([7]);
  });

  test('a program is found by the name of its file when it calls itself something else', () => {
    const gunicorn = started(7, 0, 'python3', nginxMounts, { arguments: ['/usr/bin/gunicorn', 'app'] });
    expect(pidsOf([gunicorn], { process: 'gunicorn' })).toEqual([7]);
    expect(pidsOf([gunicorn], { process: 'python3' })).toEqual([7]);
    expect(pidsOf([gunicorn], { process: 'app' })).toEqual([]);
  });

  test('a long name is found although the kernel keeps 15 characters of it', () => {
    const manager = started(7, 0, 'kube-controller', nginxMounts, {
      arguments: ['/kube-controller-manager'],
    });
    expect(pidsOf([manager], { process: 'kube-controller-manager' })).toEqual([7]);
    expect(pidsOf([manager], { process: 'kube-controller-other' })).toEqual([]);
  });

  test('two programs of the same name are two processes', () => {
    const other = started(15, 0, 'nginx', container('other', '/etc/nginx'));
    expect(pidsOf([...nginx, other], { process: 'nginx' })).toEqual([7, 15]);
  });

  test('a worker whose master has ended is selected', () => {
    expect(pidsOf(nginx.slice(1, 2), { process: 'nginx' })).toEqual([8]);
  });

  test('zombies, kernel threads and the agent itself are not', () => {
    const zombie = started(7, 0, 'app', nginxMounts, { isZombie: true });
    const thread = started(8, 2, 'app', nginxMounts, { arguments: [] });
    const self = { ...agent, command: 'app' };
    expect(pidsOf([zombie, thread], { process: 'app' }, { self })).toEqual([]);
  });
});

describe('a process is selected only if it mounts the volume', () => {
  test('of the agent, and not that of another pod on the same node', () => {
    const stranger = started(50, 1, 'nginx', container('web', '/etc/nginx', { pod: 'p2' }));
    expect(pidsOf([...nginx, stranger], { process: 'nginx' })).toEqual([7]);
  });

  test('and not as a process of the node, which has the disk of the volume as its root', () => {
    const onNode = started(50, 1, 'nginx', [rootOf('8:1')]);
    expect(pidsOf([...nginx, onNode], { process: 'nginx' })).toEqual([7]);
  });

  test('and not without the volume, or with hidden mounts', () => {
    const without = started(50, 1, 'nginx', container('web'));
    const hidden = started(51, 1, 'nginx', []);
    expect(pidsOf([without, hidden], { process: 'nginx' })).toEqual([]);
  });

  test('also by a subPath of it', () => {
    const app = started(7, 0, 'app', container('app', '/etc/app', { subPath: '/app' }));
    const neighbour = started(8, 0, 'app', [
      { device: '8:1', root: `${kubelet}/p1/volumes/kubernetes.io~empty-dir/config2`, mountPoint: '/x' },
    ]);
    expect(pidsOf([app, neighbour], { process: 'app' })).toEqual([7]);
  });

  test('also when the agent mounts a subPath, and the application the whole volume', () => {
    const self = { ...agent, mounts: container('agent', '/config', { subPath: '/app' }) };
    const app = started(7, 0, 'app', container('app', '/etc/app'));
    const ofNode = started(8, 0, 'app', [{ device: '8:1', root: '/', mountPoint: '/host' }]);
    expect(pidsOf([app, ofNode], { process: 'app' }, { self })).toEqual([7]);
  });

  test('in memory, where each volume is a file system of its own', () => {
    const memory = (device: string, mountPoint: string): Mount => ({ device, root: '/', mountPoint });
    const self = { ...agent, mounts: [rootOf('0:50'), memory('0:71', '/config')] };
    const app = started(7, 0, 'app', [rootOf('0:51'), memory('0:71', '/etc/app')]);
    const other = started(8, 0, 'app', [rootOf('0:52'), memory('0:72', '/etc/app')]);
    const subPath = started(9, 0, 'app', [{ device: '0:71', root: '/app', mountPoint: '/etc/app' }]);
    expect(pidsOf([app, other, subPath], { process: 'app' }, { self })).toEqual([7, 9]);
  });

  test('that holds the root, at the longest and last mount point', () => {
    const volume = (device: string, mountPoint: string): Mount => ({ device, root: '/', mountPoint });
    const self = {
      ...agent,
      mounts: [rootOf('0:50'), volume('0:60', '/config'), volume('0:61', '/conf'), volume('0:62', '/config')],
    };
    const app = started(7, 0, 'app', [volume('0:62', '/etc/app')]);
    const covered = started(8, 0, 'app', [volume('0:60', '/etc/app')]);
    const other = started(9, 0, 'app', [volume('0:61', '/etc/app')]);
    const processes = [app, covered, other];
    expect(pidsOf(processes, { process: 'app' }, { self })).toEqual([7]);
    expect(pidsOf(processes, { process: 'app' }, { self, configRoot: '/config/sub' })).toEqual([7]);
  });

  test('and on a machine without containers it is the root of all', () => {
    const self = { ...agent, mounts: [rootOf('8:1')] };
    expect(pidsOf([started(7, 0, 'app', [rootOf('8:1')])], { process: 'app' }, { self })).toEqual([7]);
  });
});

describe('a process is selected by its container', () => {
  test('which the kubelet names in the mount of the termination log', () => {
    expect(containerOf(nginxMounts)).toEqual({ pod: 'p1', name: 'web' });
    expect(containerOf([rootOf('8:1')])).toBeUndefined();
    expect(pidsOf([pause, ...nginx], { container: 'web' })).toEqual([7]);
  });

  test('and not in a pod with a container of the same name', () => {
    const stranger = started(50, 1, 'nginx', container('web', '/etc/nginx', { pod: 'p2' }));
    expect(pidsOf([...nginx, stranger], { container: 'web' })).toEqual([7]);
    expect(pidsOf([stranger], { container: 'web' })).toEqual([]);
  });

  test('and not in another container of the pod', () => {
    const sidecar = started(12, 0, 'app', container('sidecar', '/config'));
    expect(pidsOf([...nginx, sidecar], { container: 'sidecar' })).toEqual([12]);
  });

  test('as its first process, although `kubectl exec` or a probe runs another one', () => {
    const shell = started(30, 0, 'sh', nginxMounts);
    const inShell = started(31, 30, 'sleep', nginxMounts);
    const orphan = started(32, 1, 'curl', nginxMounts);
    expect(pidsOf([shell, inShell, orphan, ...nginx], { container: 'web' })).toEqual([7]);
  });
});
