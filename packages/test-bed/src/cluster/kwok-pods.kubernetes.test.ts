import { inspect } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { bedUnderTest, eventually, type Kubectl, kubectlInFreshNamespace } from './testing/kubectl.ts';

const behaviour = 'bed.trimtab.dev/behaviour';

describe('KWOK pods do what a test asks of them', () => {
  let kubectl: Kubectl;
  beforeAll(async () => {
    ({ kubectl } = await kubectlInFreshNamespace(bedUnderTest()));
  });

  const run = (name: string, ...annotations: string[]) =>
    kubectl('run', name, '--image=any', ...annotations.map((each) => `--annotations=${each}`));
  const containerOf = async (name: string) =>
    JSON.parse(await kubectl('get', 'pod', name, '-o', 'jsonpath={.status.containerStatuses[0]}'));
  const becomes = (name: string, what: string, seen: (container: never) => boolean) =>
    eventually(`pod ${name} ${what}`, async () => seen((await containerOf(name)) as never));
  const isReady = (container: { ready: boolean }) => container.ready;

  test('a pod that nobody asks for anything is Ready at once', async () => {
    await run('plain');
    await kubectl('wait', '--for=condition=Ready', 'pod/plain', '--timeout=30s');
  });

  test('KWOK removes no pod but one that is terminating: a successor of the same name is safe', async () => {
    await run('successor');
    await eventually('KWOK to be refused', async () => {
      const asKwok = ['--as=kwok', '--as-group=system:masters', '--dry-run=server'];
      const refusal = await kubectl('delete', 'pod', 'successor', ...asKwok).catch(inspect);
      return refusal.includes('the pod is not terminating');
    });
  });

  test('an unready pod runs and is not Ready, until the annotation is taken away', async () => {
    await run('lazy', `${behaviour}=unready`);
    await becomes(
      'lazy',
      'to run unready',
      (c: { state: object; ready: boolean }) => 'running' in c.state && !c.ready,
    );
    await kubectl('annotate', 'pod', 'lazy', `${behaviour}-`);
    await becomes('lazy', 'to be Ready', isReady);
  });

  test('a Ready pod loses its readiness when it is annotated', async () => {
    await run('turning');
    await becomes('turning', 'to be Ready', isReady);
    await kubectl('annotate', 'pod', 'turning', `${behaviour}=unready`);
    await kubectl('wait', '--for=condition=Ready=false', 'pod/turning', '--timeout=30s');
  });

  test('a crash-looping pod restarts again and again, with exit code and message', async () => {
    await run('crashing', `${behaviour}=crash-loop`, 'bed.trimtab.dev/exit-code=7');
    await becomes(
      'crashing',
      'to be in CrashLoopBackOff for the second time',
      (c: { restartCount: number; state: { waiting?: { reason: string } } }) =>
        c.restartCount >= 2 && c.state.waiting?.reason === 'CrashLoopBackOff',
    );
    const { lastState } = await containerOf('crashing');
    expect(lastState.terminated).toMatchObject({ exitCode: 7, reason: 'Error' });
    expect(lastState.terminated.message).not.toBe('');
  });

  test('a Ready pod starts to crash when it is annotated, and recovers with its restarts kept', async () => {
    await run('wavering');
    await becomes('wavering', 'to be Ready', isReady);
    await kubectl('annotate', 'pod', 'wavering', `${behaviour}=crash-loop`);
    await becomes('wavering', 'to have restarted', (c: { restartCount: number }) => c.restartCount >= 1);
    await kubectl('annotate', 'pod', 'wavering', `${behaviour}-`);
    await becomes('wavering', 'to be Ready', isReady);
    expect((await containerOf('wavering')).restartCount).toBeGreaterThanOrEqual(1);
  });

  test('a pod that crashes once is Ready afterwards with one restart', async () => {
    await run('stumbling', `${behaviour}=crash-once`);
    await becomes(
      'stumbling',
      'to be Ready after a restart',
      (c: { restartCount: number; ready: boolean }) => c.restartCount === 1 && c.ready,
    );
  });

  test.each([
    ['fail', 'Failed'],
    ['complete', 'Succeeded'],
  ])('a pod asked to %s ends in phase %s', async (asked, phase) => {
    await run(asked, `${behaviour}=${asked}`);
    await kubectl('wait', `--for=jsonpath={.status.phase}=${phase}`, `pod/${asked}`, '--timeout=30s');
  });

  test.each([
    ['config-error', 'CreateContainerConfigError'],
    ['image-error', 'ImagePullBackOff'],
  ])('a pod asked for %s waits with %s', async (asked, reason) => {
    await run(asked, `${behaviour}=${asked}`);
    const path = '{.status.containerStatuses[0].state.waiting.reason}';
    await kubectl('wait', `--for=jsonpath=${path}=${reason}`, `pod/${asked}`, '--timeout=30s');
  });

  test('a rollout gets stuck on a template that crashes, and undo mends it', async () => {
    await kubectl('create', 'deployment', 'web', '--image=any', '--replicas=3');
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=30s');
    const bad = { spec: { template: { metadata: { annotations: { [behaviour]: 'crash-loop' } } } } };
    await kubectl('patch', 'deployment', 'web', '-p', JSON.stringify(bad));
    await eventually('a new pod in CrashLoopBackOff', async () =>
      (await kubectl('get', 'pods', '-l', 'app=web', '-o', 'json')).includes('CrashLoopBackOff'),
    );
    await kubectl('rollout', 'undo', 'deployment/web');
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=30s');
    expect(await kubectl('get', 'deployment', 'web', '-o', 'jsonpath={.status.readyReplicas}')).toBe('3');
  });

  test("a Job's pod completes", async () => {
    await kubectl('create', 'job', 'once', '--image=any');
    await kubectl('wait', '--for=condition=Complete', 'job/once', '--timeout=30s');
  });
});
