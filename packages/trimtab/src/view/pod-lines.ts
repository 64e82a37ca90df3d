import type { ReportedPod } from '../api/reload-report.ts';
import type { ConfigKey } from '../core/references/config-key.ts';
import { configKey } from '../core/references/config-key.ts';
import { mayBeVersionOf } from '../core/version/object-names.ts';
import { externalCause, type PodProblem, presentFailure } from '../core/workload/pod-failure.ts';
import type { TreePod } from './observed-pod.ts';
import type { Health } from './rollout-headline.ts';

/** A termination message may be 4 KiB of stack trace; the first lines name the cause. */
const longestMessage = 300;

/** One pod of a workload. */
export interface PodLine {
  name: string;
  /** The version of the config that the pod runs; absent when it runs the config itself, or when that is not known. */
  version?: string;
  ready: boolean;
  restarts: number;
  terminating: boolean;
  health: Health;
  /** The state in one or two words, such as `Ready`, `starting` or `CrashLoopBackOff`. */
  words: string;
  /** What is wrong with the pod. */
  problem?: string;
  createdAt?: string;
}

export interface PodLineInput {
  config: { kind: 'ConfigMap' | 'Secret'; name: string };
  /** Version names by object. */
  versions: ReadonlyMap<string, string>;
  /** What the agents of reloaded pods have reported, by uid of the pod. */
  reports: ReadonlyMap<string, ReportedPod>;
}

export function podLine(pod: TreePod, input: PodLineInput): PodLine {
  const version = versionOfPod(pod, input);
  return {
    name: pod.name,
    ...(version !== undefined && { version }),
    ready: pod.ready,
    restarts: pod.containers.reduce((sum, { restarts }) => sum + restarts, 0),
    terminating: pod.terminating,
    ...stateOf(pod, refusalOf(pod, input)),
    ...(pod.createdAt !== undefined && { createdAt: pod.createdAt }),
  };
}

/** Whether a pod references the config or one of its versions. */
export function usesConfig({ references }: TreePod, { kind, name }: PodLineInput['config']): boolean {
  return references.some(
    (each) => each.kind === kind && (each.name === name || mayBeVersionOf(name, each.name)),
  );
}

function versionOfPod({ uid, references }: TreePod, input: PodLineInput): string | undefined {
  const { kind, name } = input.config;
  const key: ConfigKey = configKey(kind, name);
  const reported = input.reports.get(uid)?.runs.find(({ config }) => config === key)?.object;
  const object =
    reported ?? references.find((each) => each.kind === kind && mayBeVersionOf(name, each.name))?.name;
  return object === undefined ? undefined : (input.versions.get(object) ?? object);
}

function refusalOf({ uid }: TreePod, { config, reports }: PodLineInput): string | undefined {
  const key = configKey(config.kind, config.name);
  return reports.get(uid)?.refused?.find((each) => each.config === key)?.reason;
}

function stateOf(
  pod: TreePod,
  refusal: string | undefined,
): Pick<PodLine, 'health' | 'words'> & { problem?: string } {
  if (pod.terminating) return { health: 'waiting', words: 'terminating' };
  const problem = externalCause(pod) ?? presentFailure(pod, 0);
  if (problem !== undefined) return { health: 'bad', words: problem.reason, ...described(problem) };
  if (refusal !== undefined)
    return { health: 'bad', words: 'refused', problem: `the application refused the version: ${refusal}` };
  return pod.ready ? { health: 'good', words: 'Ready' } : { health: 'busy', words: 'starting' };
}

/** The words contain the reason; this is the rest. */
function described({ container, exitCode, message }: PodProblem): { problem?: string } {
  const parts = [
    container && `container ${container}`,
    exitCode !== undefined && `exit code ${exitCode}`,
    message?.trim().slice(0, longestMessage),
  ].filter(Boolean);
  return parts.length === 0 ? {} : { problem: parts.join(': ') };
}
