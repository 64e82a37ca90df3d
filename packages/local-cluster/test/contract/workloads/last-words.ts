import { pods } from '@trimtab/kube/resource.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import type { Container, ContainerState, Pod, PodSpec } from '../../../src/objects/pod.ts';
import type { Target } from '../api/target.ts';
import { Stage } from './stage.ts';

/** Kubelet decides when it syncs a pod again, and a config in a volume may be up to a minute old. */
export const patienceMs = 150_000;

interface PodWishes {
  /** Fields of the container, which runs `script`. */
  container?: Partial<Container>;
  spec?: Partial<PodSpec>;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

/** Returns the output of a script that runs in a pod. `$AT` is the root of the pod's files on every engine. */
export async function lastWords(
  target: Target,
  name: string,
  script: string,
  wishes: PodWishes = {},
): Promise<string> {
  await startScript(target, name, script, wishes);
  const state = await stateWhen(target, name, 'has ended', ({ terminated }) => terminated !== undefined);
  const { exitCode, message = '' } = state.terminated ?? {};
  if (exitCode !== 0) throw new Error(`pod ${name} exited with ${exitCode}: ${message}`);
  return message;
}

export async function startScript(
  target: Target,
  name: string,
  script: string,
  { container = {}, spec = {}, labels = {}, annotations = {} }: PodWishes = {},
): Promise<void> {
  const stage = await Stage.on(target);
  // The output becomes the termination message, so that the test needs no access to logs.
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

/** Waits for an Event of a pod with this text. */
export async function saidOf(target: Target, name: string, text: string): Promise<void> {
  const stage = await Stage.on(target);
  const look = async () => {
    const said = (await stage.events('Pod', name)).map(
      ({ type, reason, message }) => `${type} ${reason}: ${message}`,
    );
    return said.includes(text) ? { met: true } : { seen: said.join('\n') };
  };
  await waitFor(`the Event '${text}' of ${name}`, look, { timeoutMs: patienceMs, everyMs: 100 });
}
