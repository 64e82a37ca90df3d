import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { readRecord, recordedDaemons } from './process/daemon.ts';
import { isAlive, signal } from './process/identity.ts';
import { type BedFolder, bedFolder } from './state/bed-folder.ts';
import { requireState } from './state/bed-state.ts';
import { cluster, startCluster } from './testing/cluster-command.ts';
import { tracesOf } from './testing/host-traces.ts';
import { bedUnderTest, eventually, kubectlOn } from './testing/kubectl.ts';

describe('a second bed beside the one of this run', () => {
  const name = `beside-${process.pid}`;
  const folder: BedFolder = bedFolder(name);
  const up = () => cluster('up', '--level', '1', '--name', name);
  const pids = () =>
    recordedDaemons(folder)
      .map((daemon) => readRecord(folder, daemon)?.pid)
      .sort();
  const kill = (daemon: string) => {
    const record = readRecord(folder, daemon);
    if (record) signal(record, 'SIGKILL');
  };

  afterAll(async () => {
    await cluster('down', '--name', name);
  });

  test('comes up with a kubeconfig of its own', async () => {
    const { code, stdout } = await up();
    expect(code).toBe(0);
    expect(stdout).toContain(`export KUBECONFIG=${folder.at('bed.kubeconfig')}`);
    await kubectlOn(requireState(folder))('create', 'namespace', 'only-here');
    await expect(kubectlOn(bedUnderTest())('get', 'namespace', 'only-here')).rejects.toThrow();
  });

  test('a second up changes nothing', async () => {
    const before = pids();
    expect((await up()).code).toBe(0);
    expect(pids()).toEqual(before);
  });

  test('status tells what is missing, and up brings back a killed daemon and keeps the data', async () => {
    for (const daemon of ['kube-apiserver', 'kwok']) kill(daemon);
    const broken = await cluster('status', '--name', name);
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(/kwok +NOT RUNNING/);
    expect((await up()).code).toBe(0);
    const whole = await cluster('status', '--name', name, '-o', 'json');
    expect(JSON.parse(whole.stdout)).toMatchObject({ name, level: 1, healthy: true });
    await kubectlOn(requireState(folder))('get', 'namespace', 'only-here');
  });

  test('KWOK brings pods up again after it was killed', async () => {
    const kubectl = kubectlOn(requireState(folder));
    kill('kwok');
    await up();
    await kubectl('run', 'late', '--image=any');
    await kubectl('wait', '--for=condition=Ready', 'pod/late', '--timeout=50s');
  });

  test('up with more and with fewer nodes has exactly as many', async () => {
    const count = async () =>
      (await kubectlOn(requireState(folder))('get', 'nodes', '-o', 'name')).split('\n').length;
    await cluster('up', '--name', name, '--nodes', '5');
    expect(await count()).toBe(5);
    await cluster('up', '--name', name, '--nodes', '2');
    expect(await count()).toBe(2);
  });

  test('a daemon that cannot start is named with its last words', async () => {
    kill('kube-scheduler');
    // The scheduler authenticates with this key: with an invalid one it exits immediately.
    const key = folder.at('pki', 'kube-scheduler.key');
    const good = readFileSync(key);
    writeFileSync(key, 'not a key');
    const { code, stderr } = await up();
    writeFileSync(key, good);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^cluster: kube-scheduler has exited$/m);
    expect(stderr).toContain(folder.log('kube-scheduler'));
    expect((await up()).code).toBe(0);
  });

  test('exec runs a command with the kubeconfig and passes its code on', async () => {
    const { code, stdout } = await cluster(
      'exec',
      '--name',
      name,
      '--',
      'sh',
      '-c',
      'kubectl get ns only-here -o name; exit 5',
    );
    expect(stdout.trim()).toBe('namespace/only-here');
    expect(code).toBe(5);
  });

  test('down leaves nothing behind', async () => {
    const records = recordedDaemons(folder).map((daemon) => readRecord(folder, daemon));
    expect((await cluster('down', '--name', name)).code).toBe(0);
    expect(tracesOf(folder)).toEqual([]);
    expect(records.filter((record) => record && isAlive(record))).toEqual([]);
  });

  test('down of what is not there is no error, and status says so', async () => {
    expect((await cluster('down', '--name', name)).code).toBe(0);
    expect((await cluster('status', '--name', name)).code).toBe(1);
  });

  test('an up that is killed half-way is finished by the next one', async () => {
    const first = startCluster('up', '--level', '1', '--name', name);
    await eventually('kube-apiserver to start', () => readRecord(folder, 'kube-apiserver') !== undefined);
    first.kill();
    await first.ended;
    const etcd = readRecord(folder, 'etcd');
    expect((await up()).code).toBe(0);
    expect(readRecord(folder, 'etcd')).toEqual(etcd);
    expect((await cluster('status', '--name', name)).code).toBe(0);
  });

  test('down after an up that was killed leaves nothing behind', async () => {
    await cluster('down', '--name', name);
    const first = startCluster('up', '--level', '1', '--name', name);
    await eventually('etcd to start', () => readRecord(folder, 'etcd') !== undefined);
    first.kill();
    await first.ended;
    expect((await cluster('down', '--name', name)).code).toBe(0);
    expect(tracesOf(folder)).toEqual([]);
  });
});
