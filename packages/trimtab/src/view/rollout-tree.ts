import { type ConfigRollout, configRollouts } from '../api/config-rollout.ts';
import type { ReportedPod } from '../api/reload-report.ts';
import type { TreePod } from './observed-pod.ts';
import { type PodLine, type PodLineInput, podLine, usesConfig } from './pod-lines.ts';
import type { PodOwner } from './pod-owner.ts';
import { bakeSeconds, type Headline, type Health, isBaking, rolloutHeadline } from './rollout-headline.ts';
import { versionNames } from './version-names.ts';

/** Everything that a person wants to know about the rollout of a config: the config, its workloads, and their pods. */
export interface RolloutTree extends Headline {
  apiVersion: string;
  kind: 'RolloutTree';
  metadata: { name: string; namespace: string };
  config: { kind: 'ConfigMap' | 'Secret'; name: string };
  /** Auto, Manual or Locked. */
  release: string;
  /** `spec.paused` */
  paused: boolean;
  current?: { version: string; since: string };
  /** The version that is rolled out or rolled back; absent when nothing is. */
  target?: {
    version: string;
    activation: string;
    startedAt: string;
    by?: string;
    because?: string;
    /** Other configs of the activation, such as `Secret/bar`. They become current or are rolled back together. */
    together: string[];
  };
  /** Present while a healthy version is observed before the next step. */
  bake?: { seconds: number; healthySince?: string };
  /** Pods that run the wanted version, out of all pods that should. */
  pods: { updated: number; total: number };
  workloads: WorkloadBranch[];
  /** Objects whose pods read the config and that Trimtab does not move, such as Jobs and bare pods. */
  others: PodOwner[];
  /** Warnings about the rollout that do not keep it from being Ready. */
  notes: string[];
}

export interface WorkloadBranch {
  kind: string;
  name: string;
  mode: 'recycle' | 'reload';
  /** Absent when the workload may not be read. */
  wave?: number;
  /** The state in one word, as in the status of the ConfigRollout. */
  state: string;
  health: Health;
  words: string;
  updated: number;
  total: number;
  /** What the workload waits for, or why it failed. */
  message?: string;
  /** Absent when pods may not be listed. */
  pods?: PodLine[];
}

export interface TreeInput {
  rollout: ConfigRollout;
  /** Waves by workload, such as `Deployment/web`. */
  waves: ReadonlyMap<string, number>;
  /** All pods of the namespace; undefined when they may not be listed. */
  pods: readonly TreePod[] | undefined;
  /** Names of versions by object, in addition to those that the rollout mentions. */
  versions?: ReadonlyMap<string, string>;
  /** What the agents of reloaded pods have reported, by uid of the pod. */
  reports?: ReadonlyMap<string, ReportedPod>;
}

export function rolloutTree({ rollout, waves, pods, versions, reports = new Map() }: TreeInput): RolloutTree {
  const { metadata, spec, status } = rollout;
  const { config } = spec;
  const input: PodLineInput = { config, versions: versionNames(rollout, versions), reports };
  const using = pods?.filter((pod) => usesConfig(pod, config));
  const lines = status?.workloads ?? [];
  const keys = new Set(lines.map(({ kind, name }) => `${kind}/${name}`));
  const workloads = lines.map((line) => {
    const wave = waves.get(`${line.kind}/${line.name}`);
    const own = using?.filter(({ owner }) => owner.kind === line.kind && owner.name === line.name);
    return branch(
      line,
      wave,
      own && podLines(own, input, status?.target?.version ?? status?.current?.version),
    );
  });
  const target = targetOf(rollout);
  return {
    apiVersion: `${configRollouts.group}/${configRollouts.version}`,
    kind: 'RolloutTree',
    metadata: { name: metadata.name ?? '', namespace: metadata.namespace ?? '' },
    config: { kind: config.kind, name: config.name },
    release: spec.release,
    paused: spec.paused ?? false,
    ...rolloutHeadline(rollout),
    ...(status?.current && {
      current: { version: status.current.version, since: status.current.since },
    }),
    ...(target && { target }),
    ...(isBaking(rollout) && { bake: bakeOf(rollout, using ?? [], keys) }),
    pods: {
      updated: lines.reduce((sum, { updated }) => sum + updated, 0),
      total: lines.reduce((sum, { total }) => sum + total, 0),
    },
    workloads: workloads.sort((a, b) => (a.wave ?? 0) - (b.wave ?? 0)),
    others: othersOf(using ?? [], keys),
    notes: notesOf(rollout),
  };
}

type StatusLine = NonNullable<NonNullable<ConfigRollout['status']>['workloads']>[number];

const states: Record<string, { health: Health; words: string }> = {
  Pending: { health: 'waiting', words: 'waiting' },
  Progressing: { health: 'busy', words: 'updating' },
  Healthy: { health: 'good', words: 'healthy' },
  Failed: { health: 'bad', words: 'failed' },
  Inconclusive: { health: 'waiting', words: 'inconclusive' },
  NotJudged: { health: 'waiting', words: 'not judged' },
  NoPods: { health: 'waiting', words: 'no pods' },
  ScaledToZero: { health: 'waiting', words: 'scaled to zero' },
  Left: { health: 'waiting', words: 'left' },
  Pinned: { health: 'waiting', words: 'pinned' },
  Assigning: { health: 'busy', words: 'assigning' },
  Reverting: { health: 'busy', words: 'rolling back' },
  WaitingForDelete: { health: 'waiting', words: 'waiting' },
  WaitingForResume: { health: 'waiting', words: 'paused' },
  WaitingForPartition: { health: 'waiting', words: 'waiting' },
};

/** A state of a workload in words, and how the workload is doing. A state of a newer controller is shown as it is. */
export function workloadState(state: string): { health: Health; words: string } {
  return states[state] ?? { health: 'waiting', words: state };
}

function branch(line: StatusLine, wave: number | undefined, pods: PodLine[] | undefined): WorkloadBranch {
  const { kind, name, mode, state, updated, total, message } = line;
  return {
    ...{ kind, name, mode: mode === 'Reload' ? 'reload' : 'recycle' },
    ...(wave !== undefined && { wave }),
    ...{ state, ...workloadState(state), updated, total },
    ...(message !== undefined && { message }),
    ...(pods !== undefined && { pods }),
  };
}

/** Pods of the wanted version come first: they show how the rollout goes. */
function podLines(pods: readonly TreePod[], input: PodLineInput, wanted: string | undefined): PodLine[] {
  const rank = ({ version, terminating }: PodLine) => (terminating ? 2 : version === wanted ? 0 : 1);
  return pods
    .map((pod) => podLine(pod, input))
    .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

function targetOf({ spec, status }: ConfigRollout): RolloutTree['target'] {
  const { target } = status ?? {};
  if (target === undefined) return undefined;
  const { version, activation, startedAt, by, reason, members } = target;
  const own = `${spec.config.kind}/${spec.config.name}`;
  return {
    ...{ version, activation, startedAt },
    ...(by !== undefined && { by }),
    ...(reason !== undefined && { because: reason }),
    together: members.filter((member) => member !== own),
  };
}

/** The bake time starts when the last updated pod became Ready, or later when the controller has restarted. */
function bakeOf(
  rollout: ConfigRollout,
  pods: readonly TreePod[],
  workloads: ReadonlySet<string>,
): { seconds: number; healthySince?: string } {
  const object = rollout.status?.target?.object;
  const times = pods
    .filter(({ owner }) => workloads.has(`${owner.kind}/${owner.name}`))
    .filter(({ references }) => references.some(({ name }) => name === object))
    .flatMap(({ readySince }) => readySince ?? []);
  const healthySince = times.sort().at(-1);
  return { seconds: bakeSeconds(rollout), ...(healthySince !== undefined && { healthySince }) };
}

function othersOf(pods: readonly TreePod[], workloads: ReadonlySet<string>): PodOwner[] {
  const found = new Map(
    pods
      .filter(({ owner }) => !workloads.has(`${owner.kind}/${owner.name}`))
      .map(({ owner }) => [`${owner.kind}/${owner.name}`, owner]),
  );
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, owner]) => owner);
}

const usualConditions = new Set(['Ready', 'Reconciling', 'Stalled', 'Progressing', 'Degraded']);

function notesOf({ status }: ConfigRollout): string[] {
  return (status?.conditions ?? [])
    .filter(({ type, status: value }) => value === 'True' && !usualConditions.has(type))
    .map(({ message }) => message);
}
