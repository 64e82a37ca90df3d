import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import { configResources, workloadResources } from '@trimtab/kube/resource.ts';
import { isForbidden, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { type ConfigKey, configKey } from '../../core/references/config-key.ts';
import { contentHash } from '../../core/version/content-hash.ts';
import type { ConfigId } from '../../core/workload/opt-in.ts';
import { workloadText } from '../../core/workload/workload-key.ts';
import { listWorkloads } from '../../versions/reads/list-workloads.ts';
import type { PlannedObject } from '../../view/activation-plan.ts';
import {
  managedConfigs,
  type OptOutPlan,
  type OptOutPlanInput,
  optsInTo,
  planOptOut,
} from '../../view/opt-out-plan.ts';
import { clientCommand } from '../client-command.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { editAnnotations } from '../cluster/edit-annotations.ts';
import { findRollout } from '../cluster/find-rollout.ts';
import { readConfigs } from '../cluster/read-configs.ts';
import { readWorkload } from '../cluster/read-workload.ts';
import { canAsk, confirmOrStop, dryRunFlag, yesFlag } from '../confirm.ts';
import { CommandFailure } from '../failure.ts';
import { type ConfigArgument, configArgument, objectArgument, typedName } from '../object-argument.ts';
import { counted, resultLine } from '../output/result-line.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab unmanage',
    summary:
      'Ends the management of a workload or of a config. Workloads reference the live config again, after one rolling update. A version that was rolled back or not judged yet never reaches pods in this way: the workload then keeps its version until the config is edited.',
    positionals: {
      object: {
        required: true,
        help: 'Workload or config as TYPE/NAME. A workload opts out of all its configs. A config is no longer managed for any workload, and its versions are deleted.',
        completes: 'object',
      },
      configs: {
        many: true,
        help: 'After a workload: the configs to opt out of. The others stay managed.',
        completes: 'managed-config',
      },
    },
    flags: { dryRun: dryRunFlag, yes: yesFlag },
    examples: [
      { does: 'End the management of a Deployment', command: 'trimtab unmanage deployment/bar' },
      {
        does: 'End the management of one config of a Deployment',
        command: 'trimtab unmanage deployment/bar configmap/foo',
      },
      {
        does: 'Show what the end of the management of a ConfigMap would do',
        command: 'trimtab unmanage configmap/foo --dry-run',
      },
    ],
  },
  async ({ flags, positionals, cluster, screen, io, warn }) => {
    const object = objectArgument(positionals.object);
    const named = positionals.configs.map(configArgument);
    if (object.is === 'config' && named.length > 0)
      throw new OperationalError(
        errors.ConfigInvalid,
        'only one config can be named, or one workload and its configs',
      );
    const to = await cluster();
    const ended =
      object.is === 'config'
        ? await endOfConfig(to, object, warn)
        : await endOfWorkload(to, object, named, warn);
    if (flags.dryRun || canAsk(io)) for (const line of ended.text) screen.line(line);
    const isChange = ended.text.length > 0;
    if (isChange && !flags.dryRun && !flags.yes && canAsk(io)) await confirmOrStop(io, 'Continue?');
    for (const write of ended.writes) screen.line(await write(flags.dryRun));
    return 0;
  },
);

interface End {
  /** What will happen; empty when there is nothing to change. */
  text: string[];
  /** In order; each returns the line that reports it. */
  writes: ((dryRun: boolean) => Promise<string>)[];
}

async function endOfWorkload(
  { client, namespace }: Cluster,
  object: Pick<PlannedObject, 'kind'> & { name: string },
  named: readonly ConfigId[],
  warn: (text: string) => void,
): Promise<End> {
  const [configs, workload] = await Promise.all([
    readConfigs(client, namespace),
    readWorkload(client, namespace, object),
  ]);
  const managed = managedConfigs(configs, workload);
  const isNamed = (config: ConfigId) => named.some((each) => isSame(each, config));
  const foreign = named.filter((each) => !managed.some((config) => isSame(each, config)));
  if (foreign.length > 0)
    throw new CommandFailure(`${foreign.map(typedName).join(', ')} is not managed for ${typedName(object)}`);
  const liveHash = await readHashes({ client, namespace }, managed, warn);
  const plan = planOptOut({ ...configs, liveHash }, workload, named.length === 0 ? 'all' : isNamed);
  refuseOwned(plan, workload);
  for (const obstacle of plan.obstacles) warn(`Opting out waits: ${obstacle}`);
  return {
    text: isOptedOut(workload, plan) ? [] : workloadEnd(workload, plan),
    writes: [(dryRun) => optOut({ client }, workload, plan, { ...configs, liveHash }, named, dryRun)],
  };
}

/**
 * A deleted ConfigRollout is created again while a workload opts in to its config. So the workloads opt out first, and
 * nothing is written unless all of them can be set back.
 */
async function endOfConfig(
  { client, namespace }: Cluster,
  config: ConfigArgument,
  warn: (text: string) => void,
): Promise<End> {
  const address = { kind: config.kind, name: config.name, namespace };
  const [rollout, configs, { workloads, hidden }] = await Promise.all([
    findRollout(client, address),
    readConfigs(client, namespace),
    listWorkloads<PlannedObject>(client, namespace, new AbortController().signal),
  ]);
  if (hidden.length > 0)
    throw new CommandFailure(
      `you may not list ${hidden.join(', ')} in namespace ${namespace}, so the workloads that use ${typedName(config)} are not known`,
      { hint: 'ask your administrator to grant the verb "list" on them' },
    );
  const liveHash = await readHashes({ client, namespace }, [config], warn);
  const input = { ...configs, liveHash };
  const plans = workloads
    .filter((workload) => optsInTo(configs, workload, config))
    .map((workload) => ({ workload, plan: planOptOut(input, workload, (each) => isSame(each, config)) }));
  for (const { workload, plan } of plans) refuseOwned(plan, workload);
  const [obstacle] = plans.flatMap(({ plan }) => plan.obstacles);
  if (obstacle !== undefined)
    throw new CommandFailure(`${typedName(config)} cannot be unmanaged now: ${obstacle}`, {
      hint: 'pods that read the config itself would get this content; restore the content of the current version, or wait for the rollout',
    });
  const versions = configs.versionsOf(namespace, config).length;
  return {
    text: [
      `${config.kind} ${config.name} will no longer be managed:`,
      ...plans.flatMap(({ workload, plan }) => workloadEnd(workload, plan).map((line) => `  ${line}`)),
      `  Its ConfigRollout and ${counted(versions, 'version')} are deleted; a version that a ReplicaSet still references is deleted with it.`,
    ],
    writes: [
      ...plans.map(
        ({ workload, plan }) =>
          (dryRun: boolean) =>
            optOut({ client }, workload, plan, input, [config], dryRun),
      ),
      async (dryRun) => {
        const { uid, name = '' } = rollout.metadata;
        const preconditions = uid === undefined ? {} : { preconditions: { uid } };
        await client
          .delete(configRollouts, { namespace, name }, { dryRun, ...preconditions })
          .catch((error: unknown) => {
            // The controller deletes a rollout that nothing uses any more.
            if (!isNotFound(error)) throw error;
          });
        return resultLine(config, 'unmanaged', { dryRun });
      },
    ],
  };
}

async function optOut(
  { client }: Pick<Cluster, 'client'>,
  workload: PlannedObject,
  plan: OptOutPlan,
  input: OptOutPlanInput,
  named: readonly ConfigId[],
  dryRun: boolean,
): Promise<string> {
  const ends = named.length === 0 ? 'all' : (config: ConfigId) => named.some((each) => isSame(each, config));
  const { kind, metadata } = workload;
  const isChanged = await editAnnotations(
    client,
    workloadResources[kind],
    workload,
    (now) => {
      const { manage } = planOptOut(input, { ...now, kind }, ends);
      return isOptedOut(now, { manage }) ? undefined : { [annotations.manage]: manage };
    },
    { dryRun },
  );
  const object = { kind, name: metadata.name ?? '' };
  if (!isChanged) return resultLine(object, 'already unmanaged');
  const rest = plan.manage === 'false' ? '' : `; it still manages ${plan.manage}`;
  return `${resultLine(object, 'unmanaged', { dryRun })}${rest}`;
}

function isOptedOut({ metadata }: PlannedObject, { manage }: Pick<OptOutPlan, 'manage'>): boolean {
  return metadata.annotations?.[annotations.manage] === manage;
}

/** An owner reference opts in, unless the workload opts out of everything. */
function refuseOwned({ owned }: OptOutPlan, { kind, metadata }: PlannedObject): void {
  const [config] = owned;
  if (config === undefined) return;
  const workload = typedName({ kind, name: metadata.name ?? '' });
  throw new CommandFailure(
    `${typedName(config)} is managed for ${workload}, because an ownerReference names this workload`,
    { hint: `remove it with \`trimtab set owner ${typedName(config)} ${workload} --remove\`` },
  );
}

function workloadEnd(
  { kind, metadata }: PlannedObject,
  { configs, rolls, pods, obstacles }: OptOutPlan,
): string[] {
  const who = workloadText(`${kind}/${metadata.name}`);
  const moved = configs.filter(({ assigned }) => assigned !== undefined);
  if (!rolls) return [`${who} opts out; no pod is replaced.`];
  const references = moved
    .map((config) => `${typedName(config)} (version ${config.assigned?.version})`)
    .join(', ');
  return obstacles.length > 0
    ? [`${who} keeps its versions of ${references} until this is resolved: ${obstacles.join('; ')}.`]
    : [`${who} references ${references} itself again; one rolling update replaces ${counted(pods, 'pod')}.`];
}

async function readHashes(
  { client, namespace }: Pick<Cluster, 'client' | 'namespace'>,
  configs: readonly ConfigId[],
  warn: (text: string) => void,
): Promise<OptOutPlanInput['liveHash']> {
  const hashes = new Map<ConfigKey, string>();
  await Promise.all(
    configs.map(async ({ kind, name }) => {
      try {
        const body = await client.get<ConfigBody>(configResources[kind], { namespace, name });
        hashes.set(configKey(kind, name), contentHash(body));
      } catch (error) {
        if (isForbidden(error))
          warn(
            `You may not read ${typedName({ kind, name })}: whether its content is current was not checked here; the controller checks it`,
          );
        else if (!isNotFound(error)) throw error;
      }
    }),
  );
  return ({ kind, name }) => hashes.get(configKey(kind, name));
}

function isSame(one: ConfigId, other: ConfigId): boolean {
  return one.kind === other.kind && one.name === other.name;
}
