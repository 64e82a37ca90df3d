import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRecord, recordedDaemons } from './process/daemon.ts';
import { signal } from './process/identity.ts';
import { bedFolder } from './state/bed-folder.ts';
import { requireState } from './state/bed-state.ts';
import { cluster, type Ended, startCluster } from './testing/cluster-command.ts';
import { insidersOf, namespacesOf, nodeLeftovers, tracesOf } from './testing/host-traces.ts';
import { bedUnderTest, eventually, kubectlOn } from './testing/kubectl.ts';

describe('a second bed with real containers beside the one of this run', () => {
  const name = `beside-${process.pid}`;
  const folder = bedFolder(name);
  const up = () => cluster('up', '--level', '2', '--name', name);
  const kubectl = (...words: string[]) => kubectlOn(requireState(folder))(...words);
  const records = () =>
    Object.fromEntries(recordedDaemons(folder).map((daemon) => [daemon, readRecord(folder, daemon)]));
  const kill = (...daemons: string[]) => {
    for (const daemon of daemons) {
      const record = readRecord(folder, daemon);
      if (record) signal(record, 'SIGKILL');
    }
  };
  const succeeded = ({ code, stderr }: Ended) => expect(code, stderr).toBe(0);
  const isReady = (pod: string) => kubectl('wait', '--for=condition=Ready', `pod/${pod}`, '--timeout=60s');
  const answers = (pod: string) =>
    eventually(
      `pod ${pod} to run commands`,
      async () => (await kubectl('exec', pod, '--', 'echo', 'here')) === 'here',
    );
  let leftovers: string[];

  beforeAll(() => {
    leftovers = nodeLeftovers();
  });
  afterAll(async () => {
    await cluster('down', '--name', name);
  });

  test('comes up, and both beds run pods', async () => {
    succeeded(await up());
    const image = bedUnderTest().containers?.images.busybox;
    for (const each of [kubectlOn(bedUnderTest()), kubectl]) {
      await each('run', 'twin', `--image=${image}`, '--', 'sleep', '600');
      await each('wait', '--for=condition=Ready', 'pod/twin', '--timeout=60s');
    }
  });

  test('a second up changes nothing', async () => {
    const before = records();
    succeeded(await up());
    expect(records()).toEqual(before);
  });

  test('up brings back killed daemons, and the pod never noticed', async () => {
    kill('kubelet', 'containerd', 'kube-proxy', 'relay', 'kube-scheduler');
    expect((await cluster('status', '--name', name)).code).toBe(1);
    succeeded(await up());
    succeeded(await cluster('status', '--name', name));
    const restarts = 'jsonpath={.status.containerStatuses[0].restartCount}';
    expect(await kubectl('get', 'pod', 'twin', '-o', restarts)).toBe('0');
    // A restarted kubelet observes its pods gradually.
    await answers('twin');
  });

  test('up brings the bed back when the holder of its namespaces was killed', async () => {
    kill('namespaces');
    succeeded(await up());
    await answers('twin');
  });

  test('exec runs inside the network of the bed', async () => {
    const { stdout } = await cluster(
      'exec',
      '--name',
      name,
      '--',
      'sh',
      '-c',
      'ip -brief address show cni-bed; kubectl get node -o name; pwd',
    );
    expect(stdout).toContain('10.88.77.1/24');
    expect(stdout).toContain('node/bed-node');
    expect(stdout).toContain(`${process.cwd()}\n`);
  });

  test('down leaves nothing behind, and the other bed is untouched', async () => {
    await isReady('twin');
    const holder = readRecord(folder, 'namespaces')?.pid ?? '';
    expect(namespacesOf(holder)).toHaveLength(2);
    const own = insidersOf(holder);
    expect(own.length).toBeGreaterThan(2);
    succeeded(await cluster('down', '--name', name));
    expect(tracesOf(folder, own)).toEqual([]);
    expect(nodeLeftovers()).toEqual(leftovers);
    expect(await kubectlOn(bedUnderTest())('exec', 'twin', '--', 'echo', 'here')).toBe('here');
    await kubectlOn(bedUnderTest())('delete', 'pod', 'twin', '--now');
  });

  test('an up that is killed half-way is finished by the next one, and down cleans up after it', async () => {
    const first = startCluster('up', '--level', '2', '--name', name);
    await eventually('containerd to start', () => readRecord(folder, 'containerd') !== undefined);
    first.kill();
    await first.ended;
    succeeded(await up());
    succeeded(await cluster('down', '--name', name));
    expect(tracesOf(folder)).toEqual([]);
  });

  test('down after everything was killed still ends the containers', async () => {
    succeeded(await up());
    const image = bedUnderTest().containers?.images.busybox;
    await kubectl('run', 'orphan', `--image=${image}`, '--', 'sleep', '600');
    await isReady('orphan');
    const own = insidersOf(readRecord(folder, 'namespaces')?.pid ?? '');
    kill(...recordedDaemons(folder));
    succeeded(await cluster('down', '--name', name));
    expect(tracesOf(folder, own)).toEqual([]);
  });
});
