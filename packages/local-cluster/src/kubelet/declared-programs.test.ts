import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { containerOf, KubeletStage, script } from '../../test/support/kubelet-stage.ts';
import type { Container, PodSpec } from '../objects/pod.ts';
import { type MountMode, probeMounts } from './mounts/probe-mounts.ts';

const scratch = await mkdtemp(join(tmpdir(), 'test-programs-'));
const probed = await probeMounts(scratch);
const folders: MountMode = { way: 'folders', because: 'the test requests it' };

afterAll(() => rm(scratch, { recursive: true, force: true }));

/** Prints its name and its arguments in brackets, to show that words with spaces and quotes stay whole. */
const tell = (name: string) => ['sh', '-c', `printf '[%s]' ${name} "$@"; echo`, "it's"];

describe.each<[string, MountMode]>([
  ...(probed.way === 'namespaces' ? [['in mount namespaces', probed] as [string, MountMode]] : []),
  ['in folders', folders],
])('a program that is declared for a path, %s', (_, mounts) => {
  let stage: KubeletStage;
  const programs = new Map([
    ['/test-opt/bin/agent', tell('agent')],
    ['/bin/sh', tell('never')],
  ]);
  const at = mounts.way === 'folders' ? '"$POD_ROOT"' : '';

  beforeAll(async () => {
    stage = await KubeletStage.open({}, { mounts, programs });
  });

  afterAll(() => stage.close());

  async function output(container: Partial<Container>, spec: Partial<PodSpec> = {}): Promise<string> {
    const containers = [{ name: 'app', image: 'shop/agent:1', ...container }];
    const name = await stage.run({ restartPolicy: 'Never', ...spec, containers });
    await stage.untilPhase(name, 'Succeeded');
    return stage.log(name);
  }

  it('runs as the command of a container', async () => {
    expect(await output({ command: ['/test-opt/bin/agent', 'a b'], args: ['$(HOSTNAME)', "'"] })).toMatch(
      /^\[agent\]\[a b\]\[\$\(HOSTNAME\)\]\['\]\n$/,
    );
  });

  it('is a file that a script can run and copy', async () => {
    const volumeMounts = [{ name: 'shared', mountPath: '/test-shared' }];
    const copy = `cp ${at}/test-opt/bin/agent ${at}/test-shared/copy; ${at}/test-shared/copy x`;
    expect(
      await output(script(copy, { volumeMounts }), { volumes: [{ name: 'shared', emptyDir: {} }] }),
    ).toBe('[agent][x]\n');
  });

  it('runs as a probe', async () => {
    const readinessProbe = { exec: { command: ['/test-opt/bin/agent'] }, periodSeconds: 1 };
    const name = await stage.run({ containers: [script('exec sleep 600', { readinessProbe })] });
    await stage.untilReady(name);
  });

  it('does not replace a program of this machine', async () => {
    expect(await output({ command: ['/bin/sh', '-c', 'echo mine'] })).toBe('mine\n');
  });

  it('is hidden by a volume that is mounted around it, and adds nothing to the volume', async () => {
    const volumes = [{ name: 'empty', emptyDir: {} }];
    const volumeMounts = [{ name: 'empty', mountPath: '/test-opt' }];
    const name = await stage.run({
      volumes,
      containers: [{ name: 'app', image: 'x', command: ['/test-opt/bin/agent'], volumeMounts }],
    });
    const pod = await stage.until(
      name,
      'cannot start',
      (each) => containerOf(each).lastState.terminated !== undefined,
    );
    expect(containerOf(pod).lastState.terminated).toMatchObject({
      reason: 'StartError',
      message: expect.stringContaining('no such file or directory'),
    });
    expect(await output(script(`ls -A ${at}/test-opt`, { volumeMounts }), { volumes })).toBe('');
  });

  it('can be declared while the cluster runs', async () => {
    programs.set('/test-late', tell('late'));
    expect(await output({ command: ['/test-late'] })).toBe('[late]\n');
  });
});
