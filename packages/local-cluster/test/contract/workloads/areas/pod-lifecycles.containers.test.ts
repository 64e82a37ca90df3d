import { pods } from '@trimtab/kube/resource.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { waitForState } from '@trimtab/test-bed/watching/wait-for-state.ts';
import { expect } from 'vitest';
import type { Container, Pod } from '../../../../src/objects/pod.ts';
import { contract } from '../../api/contract.ts';
import type { Target } from '../../api/target.ts';
import { patienceMs, saidOf } from '../last-words.ts';
import { Stage } from '../stage.ts';

/** A container that runs a script. `$AT` is the root of its files on every engine. */
const running = (target: Target, name: string, script: string, more: Partial<Container> = {}): Container => ({
  name,
  image: target.engine.images.busybox,
  command: ['sh', '-c', `AT="\${POD_ROOT:-}"; ${script}`],
  volumeMounts: [{ name: 'shared', mountPath: '/shared' }],
  ...more,
});

/** Creates a pod whose containers share a folder. */
async function start(
  target: Target,
  name: string,
  spec: Partial<Pod['spec']> & Pick<Pod['spec'], 'containers'>,
  finalizers: string[] = [],
): Promise<Stage> {
  const stage = await Stage.on(target);
  await stage.create<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...(finalizers.length > 0 && { finalizers }) },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      volumes: [{ name: 'shared', emptyDir: {} }],
      ...spec,
    },
  });
  return stage;
}

function until(stage: Stage, name: string, what: string, isSo: (pod: Pod) => boolean): Promise<Pod> {
  // A kubelet reports some states only briefly, so every state is observed with a watch.
  const judge = (pod: Pod | undefined) =>
    pod !== undefined && isSo(pod) ? { met: pod } : { seen: JSON.stringify(pod?.status) };
  const where = { namespace: stage.namespace, name };
  return waitForState(`${name} ${what}`, stage.client, pods, where, judge, { timeoutMs: patienceMs });
}

const ended = (stage: Stage, name: string) =>
  until(stage, name, 'has ended', ({ status }) => ['Succeeded', 'Failed'].includes(status?.phase ?? ''));
const conditionOf = ({ status }: Pod, type: string) =>
  status?.conditions?.find((condition) => condition.type === type);
const isReady = (pod: Pod) => conditionOf(pod, 'Ready')?.status === 'True';
const first = ({ status }: Pod) => status?.containerStatuses?.[0];
const often = { periodSeconds: 1, timeoutSeconds: 5 };
const exec = (script: string) => ({ exec: { command: ['sh', '-c', `AT="\${POD_ROOT:-}"; ${script}`] } });
const options = { timeoutMs: patienceMs };

contract(
  'lifecycles of pods',
  (it) => {
    for (const [code, phase, reason] of [
      [0, 'Succeeded', 'Completed'],
      [3, 'Failed', 'Error'],
    ] as const)
      it(
        `a container that ends with ${code} makes its pod ${phase}`,
        async (target) => {
          const name = `ends-${code}`;
          const stage = await start(target, name, { containers: [running(target, 'app', `exit ${code}`)] });
          const pod = await ended(stage, name);
          expect([pod.status?.phase, first(pod)?.restartCount]).toEqual([phase, 0]);
          expect(first(pod)?.state.terminated).toMatchObject({ exitCode: code, reason });
          expect(isReady(pod)).toBe(false);
        },
        options,
      );

    it(
      'with OnFailure it is started again until it succeeds',
      async (target) => {
        const script = '[ -e "$AT/shared/was" ] && exit 0; touch "$AT/shared/was"; exit 7';
        const containers = [running(target, 'app', script)];
        const stage = await start(target, 'retries', { containers, restartPolicy: 'OnFailure' });
        const pod = await ended(stage, 'retries');
        expect([pod.status?.phase, first(pod)?.restartCount]).toEqual(['Succeeded', 1]);
        expect(first(pod)?.lastState.terminated?.exitCode).toBe(7);
      },
      options,
    );

    it(
      'with Always one that ends again and again backs off, and says so',
      async (target) => {
        const containers = [running(target, 'app', 'exit 1')];
        const stage = await start(target, 'crashes', { containers, restartPolicy: 'Always' });
        const pod = await until(
          stage,
          'crashes',
          'backs off',
          (each) => first(each)?.state.waiting?.reason === 'CrashLoopBackOff',
        );
        expect(first(pod)?.state.waiting?.message).toMatch(
          /^back-off \S+ restarting failed container=app pod=crashes_/,
        );
        expect(first(pod)?.lastState.terminated?.exitCode).toBe(1);
        expect(pod.status?.phase).toBe('Running');
      },
      options,
    );

    it(
      'init containers run one after the other, before the others',
      async (target) => {
        const note = (text: string) => `echo ${text} >> "$AT/shared/notes"`;
        const stage = await start(target, 'inits', {
          initContainers: [running(target, 'one', note('one')), running(target, 'two', note('two'))],
          containers: [
            running(target, 'app', 'cat "$AT/shared/notes"', {
              terminationMessagePolicy: 'FallbackToLogsOnError',
            }),
            running(target, 'check', '[ "$(cat "$AT/shared/notes" | tr "\\n" " ")" = "one two " ]'),
          ],
        });
        const pod = await ended(stage, 'inits');
        expect(pod.status?.phase).toBe('Succeeded');
        expect(conditionOf(pod, 'Initialized')?.status).toBe('True');
      },
      options,
    );

    it(
      'an init container that fails for good keeps the others from starting',
      async (target) => {
        const stage = await start(target, 'init-fails', {
          initContainers: [running(target, 'bad', 'exit 4')],
          containers: [running(target, 'app', 'exit 0')],
        });
        const pod = await ended(stage, 'init-fails');
        expect(pod.status?.phase).toBe('Failed');
        expect(pod.status?.initContainerStatuses?.[0]?.state.terminated?.exitCode).toBe(4);
        expect(first(pod)?.state.waiting?.reason).toBe('PodInitializing');
      },
      options,
    );

    it(
      'a sidecar starts before the others, runs beside them, and ends with them',
      async (target) => {
        const sidecar = running(target, 'side', 'touch "$AT/shared/up"; while :; do sleep 0.1; done', {
          restartPolicy: 'Always',
          startupProbe: { ...exec('[ -e "$AT/shared/up" ]'), ...often },
        });
        const stage = await start(target, 'sidecar', {
          initContainers: [sidecar],
          containers: [running(target, 'app', '[ -e "$AT/shared/up" ]')],
        });
        const pod = await ended(stage, 'sidecar');
        expect(pod.status?.phase).toBe('Succeeded');
        expect(pod.status?.initContainerStatuses?.[0]?.state.terminated).toBeDefined();
      },
      options,
    );

    it(
      'a sidecar that ends is started again, also while the others run',
      async (target) => {
        const script =
          'echo x >> "$AT/shared/runs"; [ $(wc -l < "$AT/shared/runs") -gt 1 ] && sleep 300; exit 1';
        const stage = await start(target, 'revived', {
          initContainers: [running(target, 'side', script, { restartPolicy: 'Always' })],
          containers: [running(target, 'app', 'sleep 300')],
        });
        const pod = await until(
          stage,
          'revived',
          'has its sidecar again',
          ({ status }) =>
            status?.initContainerStatuses?.[0]?.restartCount === 1 &&
            status.initContainerStatuses[0].state.running !== undefined,
        );
        expect(first(pod)?.restartCount).toBe(0);
        await stage.client.delete(pods, { namespace: stage.namespace, name: 'revived' });
      },
      options,
    );

    it(
      'a pod is Ready when its probe says so, and no more when it does not',
      async (target) => {
        // The probe counts its runs instead of the time, because its timing varies on a busy machine.
        const script =
          'echo x >> "$AT/shared/asked"; n=$(wc -l < "$AT/shared/asked"); [ $n -gt 2 ] && [ $n -lt 6 ]';
        const readinessProbe = { ...exec(script), ...often, failureThreshold: 1 };
        const app = running(target, 'app', 'sleep 300', { readinessProbe });
        const stage = await start(target, 'readiness', { containers: [app] });
        await until(
          stage,
          'readiness',
          'runs, and is not Ready',
          (pod) =>
            first(pod)?.state.running !== undefined &&
            conditionOf(pod, 'Ready')?.reason === 'ContainersNotReady',
        );
        await until(stage, 'readiness', 'is Ready', isReady);
        await until(stage, 'readiness', 'is Ready no more', (pod) => !isReady(pod));
        await stage.client.delete(pods, { namespace: stage.namespace, name: 'readiness' });
      },
      options,
    );

    it(
      'a container whose liveness probe fails is ended and started again',
      async (target) => {
        const app = running(
          target,
          'app',
          'touch "$AT/shared/ran-$(ls "$AT/shared" | wc -l | tr -d " ")"; sleep 300',
          {
            livenessProbe: { ...exec('[ -e "$AT/shared/ran-1" ]'), ...often, failureThreshold: 1 },
          },
        );
        const stage = await start(target, 'liveness', { containers: [app], restartPolicy: 'Always' });
        // The probe may run before the `touch`, which stops the container once more and raises its restart count.
        const pod = await until(stage, 'liveness', 'runs again', (each) => {
          const status = first(each);
          return Number(status?.restartCount) >= 1 && status?.state.running !== undefined;
        });
        expect(first(pod)?.lastState.terminated?.exitCode).toBeGreaterThan(128);
        await saidOf(
          target,
          'liveness',
          'Normal Killing: Container app failed liveness probe, will be restarted',
        );
        await stage.client.delete(pods, { namespace: stage.namespace, name: 'liveness' });
      },
      options,
    );

    it(
      'the other probes wait for the startup probe',
      async (target) => {
        const app = running(target, 'app', 'sleep 2; touch "$AT/shared/started"; sleep 300', {
          startupProbe: { ...exec('[ -e "$AT/shared/started" ]'), ...often, failureThreshold: 60 },
          livenessProbe: { ...exec('[ -e "$AT/shared/started" ]'), ...often, failureThreshold: 1 },
        });
        const stage = await start(target, 'startup', { containers: [app] });
        // A kubelet reports a container as started before it reports the pod as Ready.
        const pod = await until(
          stage,
          'startup',
          'has started',
          (each) => first(each)?.started === true && isReady(each),
        );
        expect(first(pod)?.restartCount).toBe(0);
        await stage.client.delete(pods, { namespace: stage.namespace, name: 'startup' });
      },
      options,
    );

    it(
      'a pod that is deleted gets TERM and time to say goodbye',
      async (target) => {
        const script =
          'trap \'echo goodbye > "$AT/dev/termination-log"; exit 0\' TERM; touch "$AT/shared/up"; while :; do sleep 0.1; done';
        const app = running(target, 'app', script, {
          readinessProbe: { ...exec('[ -e "$AT/shared/up" ]'), ...often },
        });
        const spec = { containers: [app], terminationGracePeriodSeconds: 30 };
        const stage = await start(target, 'polite', spec, ['test.dev/held']);
        await until(stage, 'polite', 'is Ready', isReady);
        await stage.client.delete(pods, { namespace: stage.namespace, name: 'polite' });
        const pod = await ended(stage, 'polite');
        expect(first(pod)?.state.terminated).toMatchObject({ exitCode: 0, message: 'goodbye\n' });
        await stage.merge(pods, 'polite', { metadata: { finalizers: null } });
      },
      options,
    );

    it(
      'one that does not listen is killed when its time is over',
      async (target) => {
        const script = 'trap "" TERM; touch "$AT/shared/up"; while :; do sleep 0.1; done';
        const app = running(target, 'app', script, {
          readinessProbe: { ...exec('[ -e "$AT/shared/up" ]'), ...often },
        });
        const stage = await start(target, 'deaf', { containers: [app] }, ['test.dev/held']);
        await until(stage, 'deaf', 'is Ready', isReady);
        await stage.client.delete(pods, { namespace: stage.namespace, name: 'deaf' });
        expect(first(await ended(stage, 'deaf'))?.state.terminated?.exitCode).toBe(137);
        await stage.merge(pods, 'deaf', { metadata: { finalizers: null } });
      },
      options,
    );

    it(
      'the preStop hook runs before TERM, within the grace',
      async (target) => {
        const script =
          'trap \'cat "$AT/shared/hook" > "$AT/dev/termination-log"; exit 0\' TERM; touch "$AT/shared/up"; while :; do sleep 0.1; done';
        const app = running(target, 'app', script, {
          readinessProbe: { ...exec('[ -e "$AT/shared/up" ]'), ...often },
          lifecycle: { preStop: exec('echo first > "$AT/shared/hook"') },
        });
        const spec = { containers: [app], terminationGracePeriodSeconds: 30 };
        const stage = await start(target, 'hooked', spec, ['test.dev/held']);
        await until(stage, 'hooked', 'is Ready', isReady);
        await stage.client.delete(pods, { namespace: stage.namespace, name: 'hooked' });
        expect(first(await ended(stage, 'hooked'))?.state.terminated?.message).toBe('first\n');
        await stage.merge(pods, 'hooked', { metadata: { finalizers: null } });
      },
      options,
    );

    it(
      'an image whose name is invalid is refused, also when the container has a command',
      async (target) => {
        const image = 'shop/config-controller:';
        const stage = await start(target, 'misnamed', {
          containers: [running(target, 'app', 'exit 0', { image })],
        });
        const message = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": invalid reference format`;
        const pod = await until(
          stage,
          'misnamed',
          'is refused',
          (each) => first(each)?.state.waiting?.reason === 'InvalidImageName',
        );
        expect(first(pod)).toMatchObject({ image, state: { waiting: { message } }, restartCount: 0 });
        await saidOf(target, 'misnamed', `Warning InspectFailed: ${message}`);
        await saidOf(target, 'misnamed', 'Warning Failed: Error: InvalidImageName');
        await stage.client.delete(pods, { namespace: stage.namespace, name: 'misnamed' });
      },
      options,
    );

    it(
      'a pod that takes too long is ended',
      async (target) => {
        const containers = [running(target, 'app', 'while :; do sleep 0.1; done')];
        const stage = await start(target, 'late', { containers, activeDeadlineSeconds: 2 });
        const pod = await ended(stage, 'late');
        expect([pod.status?.phase, pod.status?.reason]).toEqual(['Failed', 'DeadlineExceeded']);
      },
      options,
    );

    it(
      'the last lines of its log are its message, when it says nothing better',
      async (target) => {
        const app = running(target, 'app', 'echo no such port >&2; exit 1', {
          terminationMessagePolicy: 'FallbackToLogsOnError',
        });
        const stage = await start(target, 'log-message', { containers: [app] });
        expect(first(await ended(stage, 'log-message'))?.state.terminated?.message).toBe('no such port\n');
      },
      options,
    );

    it(
      'kubectl shows its logs, those of the one before, and runs commands in it',
      async (target) => {
        const script =
          'if [ -e "$AT/shared/was" ]; then echo second; sleep 300; fi; touch "$AT/shared/was"; echo first; exit 1';
        const containers = [running(target, 'app', script)];
        const stage = await start(target, 'talks', { containers, restartPolicy: 'Always' });
        await until(stage, 'talks', 'runs again', (pod) => {
          const status = first(pod);
          return status?.restartCount === 1 && status.state.running !== undefined;
        });
        await waitFor('the log of the second run', async () => {
          const seen = await stage.kubectl('logs', 'talks');
          return seen === 'second\n' ? { met: true } : { seen };
        });
        expect(await stage.kubectl('logs', 'talks', '--previous')).toBe('first\n');
        const said = await stage.kubectl('exec', 'talks', '--', 'sh', '-c', `ls "\${POD_ROOT:-}/shared"`);
        expect(said).toBe('was\n');
        await stage.client.delete(pods, { namespace: stage.namespace, name: 'talks' });
      },
      { ...options, needs: 'kubectl' },
    );
  },
  { pods: 'real', timeoutMs: patienceMs },
);
