import type { KubeObject } from '@trimtab/kube/wire.ts';
import { annotations, labels } from '../../../src/api/names.ts';
import { assignmentHash } from '../../../src/core/references/assignment.ts';
import type { ConfigKey } from '../../../src/core/references/config-key.ts';
import { parseLedger } from '../../../src/core/version/ledger.ts';
import { formatRanges } from '../../../src/core/version/number-ranges.ts';
import { isReady, isRolledOut, realHash, referencesOf, type Workload, type World } from './world.ts';

/** The state of a namespace with names that are the same in every run, so two runs can be compared. */
export interface Snapshot {
  configs: Record<string, ConfigSnapshot>;
  workloads: Record<string, WorkloadSnapshot>;
}

interface ConfigSnapshot {
  current: string | undefined;
  target: string | undefined;
  phase: string | undefined;
  wish: string | undefined;
  /** Content hash of the live config. */
  live: string | undefined;
  history: string[];
  /** State, use, owners and actual content hash of each version, by name. */
  versions: Record<string, string>;
  ledger: string;
  managed: string | undefined;
}

interface WorkloadSnapshot {
  runs: string[];
  rolledOut: boolean;
  /** Whether the label matches the pod template, and whether the template is recorded as healthy. */
  marks: string;
  /** References of each revision, sorted. An additional revision means an additional restart of the pods. */
  revisions: string[];
}

export function takeSnapshot(world: World): Snapshot {
  const configs = world.rollouts().map((rollout) => {
    const { metadata, spec, status } = rollout;
    const name = metadata.name ?? '';
    const ledger = parseLedger(metadata.annotations?.[annotations.ledger] ?? '');
    const config: ConfigSnapshot = {
      current: status?.current?.version,
      target: status?.target?.version,
      phase: status?.phase,
      wish: spec.version,
      live: world.liveHash(rollout)?.slice(0, 8),
      history: (status?.history ?? []).map(({ version, result }) => `${version} ${result}`),
      versions: Object.fromEntries(world.versions(name).map((each) => [each.name, describe(each, world)])),
      ledger: `deleted numbers ${formatRanges(ledger?.deletedNumbers ?? [])}, names ${ledger?.deletedNames.size}`,
      managed: metadata.annotations?.[annotations.workloads],
    };
    return [name, config] as const;
  });
  const workloads = world
    .workloads()
    .map(([key, workload]) => [key, workloadSnapshot(world, workload)] as const);
  return { configs: sorted(configs), workloads: sorted(workloads) };
}

function describe(version: ReturnType<World['versions']>[number], world: World): string {
  // The garbage collector removes references to deleted owners with a delay.
  const owners = (version.object.metadata.ownerReferences ?? [])
    .filter(({ kind, name }) => world.has(`${kind}/${name}`))
    .map(({ kind }) => kind)
    .sort();
  const use = version.object.metadata.labels?.[labels.inUse] === undefined ? 'idle' : 'in use';
  const rejected =
    version.object.metadata.annotations?.[annotations.rejected] === undefined ? '' : ', blocked';
  return `${version.state}${rejected}, ${use}, of ${owners.join('+')}, ${realHash(version).slice(0, 8)}`;
}

function workloadSnapshot(world: World, workload: Workload): WorkloadSnapshot {
  const named = (object: KubeObject) =>
    referencesOf(object).map((each) => {
      const version = world.version(each);
      return version === undefined ? each : `${version.rollout}@${version.name}`;
    });
  const references = referencesOf(workload).flatMap((each): [ConfigKey, string][] => {
    const version = world.version(each);
    const [kind, object] = each.split('/');
    const config = version?.object.metadata.annotations?.[annotations.config];
    return config === undefined ? [] : [[`${kind as 'Secret'}/${config}`, object ?? '']];
  });
  const runsIt = (pod: KubeObject) =>
    `${named(pod).filter((each) => !isRootCertificate(each))}` === `${named(workload)}`;
  const ours =
    assignmentHash(new Map(references)) === workload.metadata.labels?.[labels.assigned] ? 'ours' : 'not ours';
  const record = workload.metadata.annotations?.[annotations.assignment] ?? '';
  const revisions = [...world.objects]
    .filter(([, { metadata }]) => metadata.ownerReferences?.some(({ uid }) => uid === workload.metadata.uid))
    .filter(([each]) => each.startsWith('ReplicaSet/') || each.startsWith('ControllerRevision/'))
    .map(([, object]) => named(object).join(' '))
    .sort();
  return {
    runs: named(workload),
    rolledOut: isRolledOut(workload) && world.podsOf(workload).every((pod) => isReady(pod) && runsIt(pod)),
    marks: `${ours}, ${record.includes('healthyTemplate') ? 'known to work' : 'unknown'}`,
    revisions,
  };
}

/** Every pod references the ConfigMap kube-root-ca.crt, which no template names. */
function isRootCertificate(reference: string): boolean {
  return reference.endsWith('/kube-root-ca.crt');
}

function sorted<T>(entries: (readonly [string, T])[]): Record<string, T> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the number of additional revisions, and so of additional pod restarts, compared with another run. */
export function extraRevisions(now: Snapshot, other: Snapshot): number {
  const count = ({ workloads }: Snapshot) =>
    Object.values(workloads).reduce((sum, { revisions }) => sum + revisions.length, 0);
  return count(now) - count(other);
}

/** Drops the parts of a snapshot that depend on intermediate states: revisions, and the owners of versions. */
export function endOf({ configs, workloads }: Snapshot): Snapshot {
  const ends = Object.entries(configs).map(([name, config]) => {
    const versions = Object.entries(config.versions).map(([version, text]) => [
      version,
      text.replace(/, of [A-Za-z+]*/, ''),
    ]);
    return [name, { ...config, versions: Object.fromEntries(versions) }];
  });
  const runs = Object.entries(workloads).map(([name, workload]) => [name, { ...workload, revisions: [] }]);
  return { configs: Object.fromEntries(ends), workloads: Object.fromEntries(runs) };
}
