import type { ObjectMeta } from '@trimtab/kube/wire.ts';
import { type ConfigRollout, configRollouts } from '../api/config-rollout.ts';
import { annotations, labels } from '../api/names.ts';
import { type ConfigKey, configKey } from '../core/references/config-key.ts';
import {
  type ConfigKind,
  findReferences,
  type Reference,
  templateReferences,
} from '../core/references/references.ts';
import { deliveryMode } from '../core/reload/delivery-mode.ts';
import { firstVersionName, versionNameProblem } from '../core/version/version-name.ts';
import type { WorkloadKind } from '../core/workload/observed.ts';
import { type ConfigId, type Management, manages, parseManage } from '../core/workload/opt-in.ts';
import { type PlannedObject, podsOf } from './activation-plan.ts';
import { deployedBy } from './deployed-by.ts';
import { templateOf, workloadWarnings } from './workload-warnings.ts';

/** A ConfigMap or Secret without its content. */
interface KnownConfig {
  metadata: ObjectMeta;
  /** A credential of the cluster, such as a service account token, never has versions. */
  isRefused: boolean;
}

export interface AdoptionPlanInput {
  workloads: readonly PlannedObject[];
  /** Returns `unknown` for a kind that the caller may not list. */
  configOf(namespace: string, config: ConfigId): KnownConfig | 'missing' | 'unknown';
  rollouts: readonly ConfigRollout[];
  /** Resources that the caller may not list, such as `secrets`. */
  hidden: readonly string[];
}

export interface AdoptedConfig extends ConfigId {
  /** The version that the workload gets: the current one, or the one that the content becomes. */
  version: string;
  /** The config is not managed for any workload yet. */
  isNew: boolean;
}

export interface AdoptedWorkload {
  kind: WorkloadKind;
  name: string;
  namespace: string;
  configs: AdoptedConfig[];
  /** Configs that the pod template references and that stay as they are. */
  unmanaged: (ConfigId & { reason: string })[];
  how: 'recycle' | 'reload';
  pods: number;
  /** Whether the pod template changes now, which replaces the pods in one rolling update. */
  rolls: boolean;
  warnings: string[];
}

/** What opting workloads in would do. The result may differ, because the cluster may change before. */
export interface AdoptionPlan {
  apiVersion: string;
  kind: 'AdoptionPlan';
  workloads: AdoptedWorkload[];
  skipped: { kind: WorkloadKind; name: string; namespace: string; reason: string }[];
  /** Number of workloads that manage all of their configs already. */
  managed: number;
  warnings: string[];
}

/** Plans the opt-in of all workloads that reference a config and have not decided about it. */
export function adoptionPlan(input: AdoptionPlanInput): AdoptionPlan {
  const plan: AdoptionPlan = {
    apiVersion: `${configRollouts.group}/${configRollouts.version}`,
    kind: 'AdoptionPlan',
    workloads: [],
    skipped: [],
    managed: 0,
    warnings: input.hidden.map((plural) => `You may not list ${plural}: ${consequences[plural] ?? omitted}`),
  };
  for (const workload of [...input.workloads].sort(byNamespaceAndName)) {
    if (findReferences(templateOf(workload)).length === 0) continue;
    const manage = parseManage(workload.metadata.annotations);
    if ('value' in manage && manage.value.mode === 'all') {
      plan.managed += 1;
      continue;
    }
    const adopted = planOptIn(input, workload, { mode: 'all' });
    const reason = reasonToSkip(manage, adopted);
    if (reason === undefined) plan.workloads.push(adopted);
    else plan.skipped.push({ ...identity(workload), reason });
  }
  return plan;
}

const omitted = 'the plan does not include them';
const consequences: Record<string, string> = {
  configmaps: 'the plan assumes that all referenced ConfigMaps exist',
  secrets: 'the plan assumes that all referenced Secrets exist and can have versions',
  configrollouts: 'the plan assumes that no config is managed yet',
};

function reasonToSkip(
  manage: ReturnType<typeof parseManage>,
  { configs }: AdoptedWorkload,
): string | undefined {
  if ('problem' in manage) return manage.problem;
  if (manage.value.mode === 'none') return `It has opted out with ${annotations.manage}: "false"`;
  if (manage.value.mode === 'some') return `Its annotation ${annotations.manage} lists the configs to manage`;
  return configs.length === 0 ? 'None of the configs that it references can be managed' : undefined;
}

/** Plans the opt-in of one workload, with all or with some of its configs. */
export function planOptIn(
  input: Pick<AdoptionPlanInput, 'configOf' | 'rollouts'>,
  workload: PlannedObject,
  management: Management,
): AdoptedWorkload {
  const { namespace = '', annotations: its = {} } = workload.metadata;
  const template = templateOf(workload);
  const found = templateReferences(template).map((reference) => ({
    reference,
    config: { kind: reference.kind, name: originalName(input, namespace, reference) },
  }));
  const distinct = new Map(found.map(({ config }) => [configKey(config.kind, config.name), config]));
  const asked = [...distinct.values()].filter((config) => manages(management, config));
  const versions = asked.map((config) => ({ config, outcome: versionFor(input, namespace, config) }));
  const configs = versions.flatMap(({ config, outcome }) =>
    'version' in outcome ? [{ ...config, ...outcome }] : [],
  );
  const unmanaged = versions.flatMap(({ config, outcome }) =>
    'reason' in outcome ? [{ ...config, ...outcome }] : [],
  );
  const how = deliveryMode(its, template.metadata?.annotations ?? {});
  const pods = podsOf(workload);
  const managed = new Set<ConfigKey>(configs.map(({ kind, name }) => configKey(kind, name)));
  const references = found.filter(({ config }) => managed.has(configKey(config.kind, config.name)));
  return {
    ...identity(workload),
    configs,
    unmanaged,
    how,
    pods,
    rolls: references.some(({ reference, config }) => reference.name === config.name),
    warnings: [
      ...workloadWarnings({
        ...{ workload, how, pods, pinned: false },
        wantsReload: how === 'reload',
        references: references.map(({ reference }) => reference),
      }),
      ...deployedBy(workload.metadata),
    ],
  };
}

/** The config of a reference: the template of a workload that was managed before may name a version. */
function originalName(
  { configOf }: Pick<AdoptionPlanInput, 'configOf'>,
  namespace: string,
  { kind, name }: Reference,
): string {
  const known = configOf(namespace, { kind, name });
  if (known === 'missing' || known === 'unknown') return name;
  return (isVersion(known.metadata) && known.metadata.annotations?.[annotations.config]) || name;
}

function versionFor(
  { configOf, rollouts }: Pick<AdoptionPlanInput, 'configOf' | 'rollouts'>,
  namespace: string,
  config: ConfigId,
): { version: string; isNew: boolean } | { reason: string } {
  const rollout = rollouts.find(
    ({ metadata, spec }) => metadata.namespace === namespace && isSame(spec.config, config),
  );
  const current = rollout?.status?.current?.version;
  if (current !== undefined) return { version: current, isNew: false };
  const known = configOf(namespace, config);
  if (known === 'missing') return { reason: 'it does not exist' };
  if (known === 'unknown') return { version: firstVersionName, isNew: true };
  if (known.isRefused) return { reason: 'it is a credential of the cluster, which cannot have versions' };
  const chosen = known.metadata.annotations?.[annotations.version];
  const problem = chosen === undefined ? undefined : versionNameProblem(chosen);
  return problem === undefined
    ? { version: chosen ?? firstVersionName, isNew: true }
    : { reason: `annotation ${annotations.version} is not a valid version name: ${problem}` };
}

function isSame(one: { kind: string; name: string }, other: ConfigId): boolean {
  return one.kind === other.kind && one.name === other.name;
}

function isVersion({ labels: its = {} }: ObjectMeta): boolean {
  return its[labels.versionOf] !== undefined;
}

function identity({ kind, metadata }: PlannedObject): {
  kind: WorkloadKind;
  name: string;
  namespace: string;
} {
  return { kind, name: metadata.name ?? '', namespace: metadata.namespace ?? '' };
}

function byNamespaceAndName(one: PlannedObject, other: PlannedObject): number {
  const key = ({ kind, metadata }: PlannedObject) =>
    [metadata.namespace ?? '', metadata.name ?? '', kind].join('\0');
  return key(one) < key(other) ? -1 : 1;
}

/** The configs that a plan manages for the first time, each once. */
export function newConfigs(workloads: readonly AdoptedWorkload[]): (AdoptedConfig & { namespace: string })[] {
  const found = workloads.flatMap(({ namespace, configs }) =>
    configs.filter(({ isNew }) => isNew).map((config) => ({ ...config, namespace })),
  );
  const key = ({ namespace, kind, name }: { namespace: string; kind: ConfigKind; name: string }) =>
    `${namespace}/${configKey(kind, name)}`;
  return [...new Map(found.map((each) => [key(each), each])).values()];
}
