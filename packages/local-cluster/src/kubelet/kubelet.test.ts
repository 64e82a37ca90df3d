import { leases, nodes } from '@trimtab/kube/resource.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  containerOf,
  KubeletStage,
  nodeName,
  processesWith,
  script,
} from '../../test/support/kubelet-stage.ts';
import type { Node } from '../objects/node.ts';

let stage: KubeletStage;

beforeAll(async () => {
  stage = await KubeletStage.open();
});

afterAll(() => stage.close());

const forever = 'exec sleep 600';

it('the node is Ready, takes pods, and renews its Lease', async () => {
  const node = await stage.local.client.get<Node>(nodes, { name: nodeName });
  expect(node.status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
    'MemoryPressure=False',
    'DiskPressure=False',
    'PIDPressure=False',
    'Ready=True',
  ]);
  expect(node.spec?.taints).toBeUndefined();
  await waitFor('the Lease', async () => {
    const { items } = await stage.local.client.list(leases, { namespace: 'kube-node-lease' });
    return items.some(({ metadata }) => metadata.name === nodeName) ? { met: true } : { seen: 'none' };
  });
});

describe('a pod that runs', () => {
  it('becomes Ready with an address of its own, and tells how it got there', async () => {
    const name = await stage.run({ containers: [script(`echo hello; ${forever}`)] });
    const pod = await stage.untilReady(name);
    expect(pod.status?.phase).toBe('Running');
    expect(pod.status?.podIP).toMatch(/^127\.\d+\.\d+\.\d+$/);
    expect(pod.status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'PodReadyToStartContainers=True',
      'Initialized=True',
      'Ready=True',
      'ContainersReady=True',
      'PodScheduled=True',
    ]);
    expect(containerOf(pod)).toMatchObject({ ready: true, started: true, restartCount: 0, lastState: {} });
    expect((await stage.untilEvent(name, 'Started')).sort()).toEqual([
      'Created: Container created',
      'Pulled: Container image "busybox" already present on machine and can be accessed by the pod',
      'Started: Container started',
    ]);
    await waitFor('the output of the container', async () => {
      const text = await stage.log(name);
      return text === 'hello\n' ? { met: true } : { seen: text };
    });
    await stage.delete(name);
    await stage.untilGone(name);
    expect(await stage.untilEvent(name, 'Killing')).toContain('Killing: Stopping container app');
  });

  it('reports that its image is not used when it has a command', async () => {
    const name = await stage.run({ containers: [script(forever, { image: 'example.org/shop:7' })] });
    await stage.untilReady(name);
    const told = await stage.untilEvent(name, 'ImageIgnored');
    expect(told.join()).toContain('Image "example.org/shop:7" is not used');
  });
});

describe('a container that ends', () => {
  it('with success, and is not to be restarted: the pod has succeeded', async () => {
    const name = await stage.run({ restartPolicy: 'OnFailure', containers: [script('exit 0')] });
    const pod = await stage.untilPhase(name, 'Succeeded');
    expect(containerOf(pod).state.terminated).toMatchObject({ exitCode: 0, reason: 'Completed' });
    expect(pod.status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason: 'PodCompleted',
    });
  });

  it('with a failure, and is not to be restarted: the pod has failed, and shows its last words', async () => {
    const last = 'echo "colour blurple is unknown" > $TERMINATION_LOG; exit 3';
    const name = await stage.run({ restartPolicy: 'Never', containers: [script(last)] });
    const pod = await stage.untilPhase(name, 'Failed');
    expect(containerOf(pod).state.terminated).toMatchObject({
      exitCode: 3,
      reason: 'Error',
      message: 'colour blurple is unknown\n',
    });
  });

  it('shows the end of its log as its last words, when it asks for that', async () => {
    const app = script('echo first; echo last >&2; exit 1', {
      terminationMessagePolicy: 'FallbackToLogsOnError',
    });
    const name = await stage.run({ restartPolicy: 'Never', containers: [app] });
    const pod = await stage.untilPhase(name, 'Failed');
    const message = containerOf(pod).state.terminated?.message;
    expect(message?.split('\n').sort()).toEqual(['', 'first', 'last']);
  });

  it('by a signal: its exit code tells which', async () => {
    const name = await stage.run({ restartPolicy: 'Never', containers: [script('kill -SEGV $$')] });
    const pod = await stage.untilPhase(name, 'Failed');
    expect(containerOf(pod).state.terminated?.exitCode).toBe(128 + 11);
  });

  it('again and again: it is restarted, at once and then after a while that doubles', async () => {
    const name = await stage.run({ containers: [script('exit 7')] });
    // The maximum back-off recurs; a shorter one may be over before a busy machine observes it.
    const pod = await stage.until(name, 'backs off for as long as it can', ({ status }) =>
      Boolean(status?.containerStatuses?.[0]?.state.waiting?.message?.startsWith('back-off 1s')),
    );
    const app = containerOf(pod);
    expect(app.state.waiting).toEqual({
      reason: 'CrashLoopBackOff',
      message: `back-off 1s restarting failed container=app pod=${name}_default(${pod.metadata.uid})`,
    });
    expect(app.lastState.terminated).toMatchObject({ exitCode: 7, reason: 'Error' });
    // Back-offs of 50, 100, 200, 400 and 800 ms precede it.
    expect(app.restartCount).toBeGreaterThanOrEqual(6);
    expect(pod.status?.phase).toBe('Running');
    const told = await stage.untilEvent(name, 'BackOff');
    expect(told).toContain(
      `BackOff: Back-off restarting failed container app in pod ${name}_default(${pod.metadata.uid})`,
    );
    await stage.delete(name, 1);
    await stage.untilGone(name);
  });
});

describe('a container that cannot be started', () => {
  it('for want of its program says which', async () => {
    const app = script('', { command: ['no-such-program'] });
    const name = await stage.run({ restartPolicy: 'Never', containers: [app] });
    const pod = await stage.untilPhase(name, 'Failed');
    expect(containerOf(pod).state.terminated).toMatchObject({
      exitCode: 128,
      reason: 'StartError',
      message: 'failed to start: exec: "no-such-program": executable file not found in $PATH',
      startedAt: '1970-01-01T00:00:00Z',
    });
  });

  it('for want of an image says what to do about it', async () => {
    const name = await stage.run({ containers: [{ name: 'app', image: 'nginx:1.27' }] });
    const pod = await stage.until(name, 'backs off pulling', ({ status }) =>
      Boolean(status?.containerStatuses?.[0]?.state.waiting?.reason === 'ImagePullBackOff'),
    );
    expect(containerOf(pod).state.waiting?.message).toContain("--image nginx='PROGRAM ARGS'");
    expect(pod.status?.phase).toBe('Pending');
    const told = await stage.untilEvent(name, 'ErrImagePull');
    expect(told.join()).toContain('Failed to pull image "nginx:1.27"');
  });
});

describe('init containers and sidecars', () => {
  it('run in order, each to its end, before the rest', async () => {
    const name = await stage.run({
      initContainers: [
        script('echo one >> steps', { name: 'one' }),
        script(forever, { name: 'side', restartPolicy: 'Always' }),
        script('echo two >> steps', { name: 'two' }),
      ],
      containers: [script(`cat steps; ${forever}`)],
    });
    const pod = await stage.untilReady(name);
    expect(pod.status?.initContainerStatuses?.map((each) => [each.name, each.ready, each.started])).toEqual([
      ['one', true, false],
      ['side', true, true],
      ['two', true, false],
    ]);
    await waitFor('the output of the init containers', async () => {
      const text = await stage.log(name);
      return text === 'one\ntwo\n' ? { met: true } : { seen: text };
    });
  });

  it('one that fails for good fails the pod, and nothing else of it ever runs', async () => {
    const name = await stage.run({
      restartPolicy: 'Never',
      initContainers: [script('exit 1', { name: 'init' })],
      containers: [script(forever)],
    });
    const pod = await stage.untilPhase(name, 'Failed');
    expect(containerOf(pod).state.waiting?.reason).toBe('PodInitializing');
    expect(containerOf(pod, 'init').state.terminated?.exitCode).toBe(1);
  });

  it('a sidecar ends after the containers it serves, and does not keep a finished pod alive', async () => {
    const side = `trap 'echo side-ends; exit 0' TERM; touch up; while :; do sleep 0.05; done`;
    // The app container exits at once. The startup probe delays it until the sidecar's trap for TERM is set.
    const startupProbe = { exec: { command: ['test', '-e', 'up'] }, periodSeconds: 1, failureThreshold: 30 };
    const name = await stage.run({
      restartPolicy: 'Never',
      initContainers: [script(side, { name: 'side', restartPolicy: 'Always', startupProbe })],
      containers: [script('exit 0')],
    });
    const pod = await stage.untilPhase(name, 'Succeeded');
    const ended = (container: string) =>
      Date.parse(containerOf(pod, container).state.terminated?.finishedAt ?? '');
    expect(ended('side')).toBeGreaterThanOrEqual(ended('app'));
    expect(await stage.log(name, {}, 'side')).toContain('side-ends');
  });
});

describe('a pod that is deleted', () => {
  it('gets its grace: the program hears TERM and ends by itself', async () => {
    const polite = `trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.05; done`;
    const name = await stage.run({ containers: [script(polite)] });
    await stage.untilReady(name);
    await waitFor('the trap of the program', async () =>
      (await stage.log(name)) === 'up\n' ? { met: true } : { seen: '' },
    );
    const words = stage.log(name, { follow: true });
    await stage.delete(name);
    await stage.untilGone(name);
    // TERM goes to the whole process group, so the shell also reports that its `sleep` was terminated.
    expect(await words).toMatch(/^up\n.*bye\n$/s);
  });

  it('that ignores TERM is killed, with every process it has made', async () => {
    const stubborn = `trap '' TERM; (trap '' TERM; sleep 600) & sleep 600`;
    const name = await stage.run({ containers: [script(stubborn)] });
    const { metadata } = await stage.untilReady(name);
    expect(await processesWith(metadata.uid ?? '')).not.toEqual([]);
    await stage.delete(name, 1);
    await stage.untilGone(name);
    expect(await processesWith(metadata.uid ?? '')).toEqual([]);
  });

  it('by force is ended, too, though nobody waits for it', async () => {
    const name = await stage.run({ containers: [script(forever)] });
    const { metadata } = await stage.untilReady(name);
    await stage.delete(name, 0);
    await waitFor('the process of the pod is gone', async () => {
      const left = await processesWith(metadata.uid ?? '');
      return left.length === 0 ? { met: true } : { seen: left.join() };
    });
  });
});

it('a pod that is active for too long fails', async () => {
  const name = await stage.run({
    activeDeadlineSeconds: 1,
    terminationGracePeriodSeconds: 1,
    containers: [script(forever)],
  });
  const pod = await stage.untilPhase(name, 'Failed');
  expect(pod.status).toMatchObject({
    reason: 'DeadlineExceeded',
    message: 'Pod was active on the node longer than the specified deadline',
  });
});
