import { spawn } from 'node:child_process';
import { findKubectl } from '@trimtab/test-bed/engines/find-kubectl.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { containerOf, KubeletStage, processesWith, script } from '../../test/support/kubelet-stage.ts';

const kubectl = findKubectl();
let stage: KubeletStage;

beforeAll(async () => {
  stage = await KubeletStage.open();
});

afterAll(() => stage.close());

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The output of kubectl so far, and its result. */
function start(...args: string[]): { said: Ran; ended: Promise<Ran> } {
  const child = spawn(kubectl ?? '', ['--kubeconfig', stage.local.server.kubeconfigFile, ...args]);
  const said: Ran = { code: null, stdout: '', stderr: '' };
  child.stdout.on('data', (part) => {
    said.stdout += part;
  });
  child.stderr.on('data', (part) => {
    said.stderr += part;
  });
  child.stdin.end();
  const ended = new Promise<Ran>((resolve) => child.on('close', (code) => resolve({ ...said, code })));
  return { said, ended };
}

const run = (...args: string[]) => start(...args).ended;

describe.runIf(kubectl !== undefined)('kubectl', () => {
  it('shows the logs of a container, of the one before, and says why there are none', async () => {
    // The container prints a line and exits once the file go exists.
    const app = script('echo run; until [ -e go ]; do sleep 0.05; done; rm go; exit 1');
    const name = await stage.run({ containers: [app] });
    await stage.untilReady(name);
    expect((await run('logs', name, '--previous')).stderr).toContain(
      `previous terminated container "app" in pod "${name}" not found`,
    );
    const following = start('logs', '-f', name);
    await waitFor('the first line', async () =>
      following.said.stdout === 'run\n' ? { met: true } : { seen: following.said.stderr },
    );
    expect((await run('exec', name, '--', 'touch', 'go')).code).toBe(0);
    expect((await following.ended).stdout).toBe('run\n');
    await stage.until(name, 'was restarted', (pod) => containerOf(pod).restartCount === 1);
    await stage.untilReady(name);
    expect((await run('logs', name, '-p')).stdout).toBe('run\n');
    const late = await stage.run({ containers: [{ name: 'app', image: 'nginx' }] });
    await stage.until(late, 'waits', (pod) => containerOf(pod).state.waiting?.reason === 'ImagePullBackOff');
    const { stderr } = await run('logs', late);
    expect(stderr).toContain(`container "app" in pod "${late}" is waiting to start: `);
    // Each attempt changes the reason from ImagePullBackOff to ErrImagePull for a moment.
    expect(stderr).toMatch(/: (trying and failing to pull image|image can't be pulled)$/m);
  });

  it('runs a command in a container, which ends with it', async () => {
    const name = await stage.run({
      containers: [script('exec sleep 600', { env: [{ name: 'WHERE', value: 'inside' }] })],
    });
    const { metadata } = await stage.untilReady(name);
    const ran = await run('exec', name, '--', 'sh', '-c', 'echo $WHERE; exit 3');
    expect(ran).toMatchObject({ stdout: 'inside\n', code: 3 });
    const long = run('exec', name, '--', 'sh', '-c', 'setsid sleep 600 & sleep 600');
    await waitFor('four processes of the pod', async () => {
      const all = await processesWith(metadata.uid ?? '');
      return all.length === 4 ? { met: true } : { seen: `${all.length}` };
    });
    await stage.delete(name, 1);
    await stage.untilGone(name);
    await long;
    expect(await processesWith(metadata.uid ?? '')).toEqual([]);
  });

  it('forwards ports of a pod until it ends', async () => {
    const name = await stage.run({ containers: [script('exec sleep 600')] });
    await stage.untilReady(name);
    const forwarding = start('port-forward', name, ':80');
    await waitFor('kubectl forwards', async () =>
      forwarding.said.stdout.includes('Forwarding from') ? { met: true } : { seen: forwarding.said.stderr },
    );
    await stage.delete(name, 1);
    expect(await forwarding.ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('lost connection to pod'),
    });
  });

  it('ends the input of a program that has it for one session, also when that breaks off', async () => {
    const app = script('while read -r line; do echo "got $line"; done; echo over', {
      stdin: true,
      stdinOnce: true,
    });
    const name = await stage.run({ restartPolicy: 'Never', containers: [app] });
    await stage.untilReady(name);
    const config = ['--kubeconfig', stage.local.server.kubeconfigFile];
    const child = spawn(kubectl ?? '', [...config, 'attach', '-i', name], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdin.write('one\n');
    await waitFor('output of the program', async () => {
      const text = await stage.log(name);
      return text === 'got one\n' ? { met: true } : { seen: text };
    });
    child.kill('SIGKILL');
    await stage.untilPhase(name, 'Succeeded');
    expect(await stage.log(name)).toBe('got one\nover\n');
  });

  it('asks a program in a terminal to end like any other', async () => {
    const text = 'trap "echo bye; exit 3" TERM; echo up; while :; do sleep 0.05; done';
    const name = await stage.run({ restartPolicy: 'Never', containers: [script(text, { tty: true })] });
    await stage.untilReady(name);
    const following = start('logs', '-f', name);
    await waitFor('the program is up', async () =>
      following.said.stdout === 'up\r\n' ? { met: true } : { seen: following.said.stderr },
    );
    await stage.delete(name, 20);
    // The shell may also report that its `sleep` was terminated.
    expect((await following.ended).stdout).toMatch(/^up\r\n(Terminated\r\n)?bye\r\n$/);
    await stage.untilGone(name);
  });
});

describe('probes and hooks', () => {
  it('a pod is Ready when its readiness probe says so, and not before', async () => {
    const readinessProbe = { exec: { command: ['test', '-e', 'ready'] }, periodSeconds: 1 };
    const name = await stage.run({
      containers: [
        script('until [ -e go ]; do sleep 0.05; done; touch ready; exec sleep 600', { readinessProbe }),
      ],
    });
    const pod = await stage.until(name, 'runs', (each) => containerOf(each).state.running !== undefined);
    expect(containerOf(pod)).toMatchObject({ started: true, ready: false });
    await stage.untilEvent(name, 'Unhealthy: Readiness probe failed');
    const { prepared } = stage.kubelet.containers.running('default', name, 'app');
    spawn('touch', ['go'], { cwd: prepared.cwd });
    await stage.untilReady(name);
  });

  it('a container whose liveness probe fails is ended and started again', async () => {
    const livenessProbe = { exec: { command: ['false'] }, periodSeconds: 1, failureThreshold: 1 };
    const name = await stage.run({
      terminationGracePeriodSeconds: 1,
      containers: [script('exec sleep 600', { livenessProbe })],
    });
    const pod = await stage.until(name, 'was restarted', (each) => containerOf(each).restartCount > 0);
    expect(containerOf(pod).lastState.terminated).toMatchObject({ exitCode: 143, reason: 'Error' });
    await stage.untilEvent(name, 'Killing: Container app failed liveness probe, will be restarted');
  });

  it('hooks run after the start and before the end, and are told of when they fail', async () => {
    const lifecycle = {
      postStart: { exec: { command: ['sh', '-c', 'echo started >> steps'] } },
      preStop: { exec: { command: ['sh', '-c', 'echo stopping >> steps; cp steps ..'] } },
    };
    const name = await stage.run({
      containers: [
        script('until [ -s steps ]; do sleep 0.02; done; cat steps; exec sleep 600', { lifecycle }),
      ],
    });
    await stage.untilReady(name);
    await waitFor('the output of the postStart hook', async () => {
      const text = await stage.log(name);
      return text === 'started\n' ? { met: true } : { seen: text };
    });
    await stage.delete(name);
    await stage.untilGone(name);
    const failing = await stage.run({
      restartPolicy: 'Never',
      containers: [script('exec sleep 600', { lifecycle: { postStart: { exec: { command: ['false'] } } } })],
    });
    await stage.untilPhase(failing, 'Failed');
    // Events are written asynchronously and in order, so this one may arrive after the pod has failed.
    const told = await stage.untilEvent(failing, 'Killing: FailedPostStartHook');
    expect(told).toContain('FailedPostStartHook: PostStartHook failed');
  });
});
