import { pods } from '@trimtab/kube/resource.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import type { Container, ContainerState, Pod, PodSpec } from '../../../src/objects/pod.ts';
import type { Target } from '../api/target.ts';
import { Stage } from './stage.ts';

/** Kubelet looks again after a while that is its own affair, and a config in a volume may be a minute old. */
export const patienceMs = 150_000;

interface PodWishes {
  /** Of its container, which runs `script`. */
  container?: Partial<Container>;
  spec?: Partial<PodSpec>;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

/** What the script of a pod printed. `$AT` is the root of its files, whichever engine runs it. */
export async function lastWords(
  target: Target,
  name: string,
  script: string,
  wishes: PodWishes = {},
): Promise<string> {
  await startScript(target, name, script, wishes);
  const state = await stateWhen(target, name, 'has ended', ({ terminated }) => terminated !== undefined);
  const { exitCode, message = '' } = state.terminated ?? {};
  if (exitCode !== 0) throw new Error(`the pod ended with ${exitCode}: ${message}`);
  return message;
}

export async function startScript(
  target: Target,
  name: string,
  script: string,
  { container = {}, spec = {}, labels = {}, annotations = {} }: PodWishes = {},
): Promise<void> {
  const stage = await Stage.on(target);
  // Whatever it prints becomes its termination message: that needs no way to its logs.
  const command = ['sh', '-c', `AT="\${POD_ROOT:-}"; { ${script}; } > "$AT/dev/termination-log" 2>&1`, 'sh'];
  const app = { name: 'app', image: target.engine.images.busybox, command, ...container };
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels, annotations },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      ...spec,
      containers: [app],
    },
  };
  await stage.create(pod);
}

export async function stateWhen(
  target: Target,
  name: string,
  what: string,
  isSo: (state: ContainerState) => boolean,
): Promise<ContainerState> {
  const stage = await Stage.on(target);
  const look = async () => {
    const pod = await stage.find<Pod>(pods, name);
    const state = pod?.status?.containerStatuses?.[0]?.state;
    return state !== undefined && isSo(state) ? { met: state } : { seen: JSON.stringify(pod?.status) };
  };
  return waitFor(`the container of ${name} ${what}`, look, { timeoutMs: patienceMs, everyMs: 100 });
}

/** Waits until this was said about a pod. */
export async function saidOf(target: Target, name: string, text: string): Promise<void> {
  const stage = await Stage.on(target);
  const look = async () => {
    const said = (await stage.events('Pod', name)).map(
      ({ type, reason, message }) => `${type} ${reason}: ${message}`,
    );
    return said.includes(text) ? { met: true } : { seen: said.join('\n') };
  };
  await waitFor(`'${text}' is said of ${name}`, look, { timeoutMs: patienceMs, everyMs: 100 });
}
