import { configResources, workloadResources } from '@trimtab/kube/resource.ts';
import { type ConfigRollout, configRollouts } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { rolloutName } from '../../core/version/object-names.ts';
import {
  type ConfigId,
  formatManage,
  type Management,
  manages,
  parseManage,
  type ReleaseMode,
} from '../../core/workload/opt-in.ts';
import type { PlannedObject } from '../../view/activation-plan.ts';
import { planOptIn } from '../../view/adoption-plan.ts';
import { clientCommand } from '../client-command.ts';
import { type Cluster, fieldManager } from '../cluster/cluster.ts';
import { editAnnotations } from '../cluster/edit-annotations.ts';
import { type ConfigsOfCluster, readConfigs } from '../cluster/read-configs.ts';
import { readWorkload } from '../cluster/read-workload.ts';
import { canAsk, confirmOrStop, dryRunFlag, yesFlag } from '../confirm.ts';
import { CommandFailure, usageError } from '../failure.ts';
import { configArgument, objectArgument, typedName } from '../object-argument.ts';
import { optInText } from '../output/opt-in-text.ts';
import { resultLine } from '../output/result-line.ts';

const releaseModes = { auto: 'Auto', manual: 'Manual', locked: 'Locked' } as const satisfies Record<
  string,
  ReleaseMode
>;

export const { program, run } = clientCommand(
  {
    name: 'trimtab manage',
    summary:
      'Opts a workload in: Trimtab manages all configs that its pod template references, or the named ones. Management starts with the content that each config has now, as version 1.0.0.',
    positionals: {
      object: {
        required: true,
        help: 'Workload as TYPE/NAME, such as deployment/bar. With --release, a config is possible, too: only its release mode is set.',
        completes: 'workload',
      },
      configs: {
        many: true,
        help: 'Configs to manage, as TYPE/NAME; a bare name is a ConfigMap. Added to those that are managed already. Defaults to all.',
        completes: 'config',
      },
    },
    flags: {
      release: {
        type: 'choice',
        choices: ['auto', 'manual', 'locked'],
        help: 'Release mode of the named configs. auto: an edit is rolled out. manual: an edit becomes a version only. locked: edits are refused.',
      },
      dryRun: dryRunFlag,
      yes: yesFlag,
    },
    examples: [
      { does: 'Manage all configs of a Deployment', command: 'trimtab manage deployment/bar' },
      { does: 'Show what this would do', command: 'trimtab manage deployment/bar --dry-run' },
      {
        does: 'Manage a ConfigMap and a Secret only',
        command: 'trimtab manage deployment/bar foo secret/key',
      },
      {
        does: 'Roll out the versions of a ConfigMap on request only',
        command: 'trimtab manage configmap/foo --release manual',
      },
    ],
  },
  async ({ flags, positionals, cluster, screen, io, warn }) => {
    const object = objectArgument(positionals.object);
    const named = positionals.configs.map(configArgument);
    if (object.is === 'config' && (flags.release === undefined || named.length > 0))
      throw usageError(
        `${typedName(object)} is a config: name the workload first, such as \`trimtab manage deployment/NAME ${typedName(object)}\`, or set its release mode with --release`,
      );
    if (object.is === 'workload' && flags.release !== undefined && named.length === 0)
      throw usageError(
        `--release needs the names of configs: \`trimtab manage ${typedName(object)} CONFIG… --release ${flags.release}\``,
      );
    const to = await cluster();
    const configs = await readConfigs(to.client, to.namespace);
    for (const hidden of configs.hidden) warn(`You may not list ${hidden} in namespace ${to.namespace}`);
    const release = flags.release && releaseModes[flags.release];
    const writes: (() => Promise<string>)[] = [];
    if (release !== undefined)
      for (const config of object.is === 'config' ? [object] : named)
        writes.push(() => setRelease(to, configs, config, release, flags.dryRun));
    if (object.is === 'workload') {
      const workload = await readWorkload(to.client, to.namespace, object);
      const management = wantedManagement(workload, named);
      const plan = planOptIn(configs, workload, management);
      refuseUnreferenced(plan, named);
      if (writes.length === 0 && change(workload, named) === undefined) {
        screen.line(resultLine(object, 'already managed'));
        return 0;
      }
      if (flags.dryRun || canAsk(io)) for (const line of optInText(plan)) screen.line(line);
      for (const warning of plan.warnings) warn(warning);
      writes.push(async () => {
        const isChanged = await editAnnotations(
          to.client,
          workloadResources[workload.kind],
          workload,
          (now) => change(now, named),
          flags,
        );
        return resultLine(object, isChanged ? 'managed' : 'already managed', isChanged ? flags : {});
      });
    }
    if (!flags.dryRun && !flags.yes && canAsk(io)) await confirmOrStop(io, 'Continue?');
    for (const write of writes) screen.line(await write());
    return 0;
  },
);

/** A list is added to the configs that are managed already, so that no config is opted out by the way. */
function wantedManagement({ metadata }: PlannedObject, named: readonly ConfigId[]): Management {
  const manage = parseManage(metadata.annotations);
  const now = 'value' in manage ? manage.value : { mode: 'unsaid' as const };
  if (named.length === 0 || now.mode === 'all') return { mode: 'all' };
  const before = now.mode === 'some' ? now.configs : [];
  const added = named.filter((config) => !manages({ mode: 'some', configs: [...before] }, config));
  return { mode: 'some', configs: [...before, ...added.map(({ kind, name }) => ({ kind, name }))] };
}

function change(workload: PlannedObject, named: readonly ConfigId[]) {
  const wanted = wantedManagement(workload, named);
  const value = wanted.mode === 'some' ? formatManage(wanted.configs) : 'true';
  return workload.metadata.annotations?.[annotations.manage] === value
    ? undefined
    : { [annotations.manage]: value };
}

function refuseUnreferenced(
  { kind, name, configs, unmanaged }: ReturnType<typeof planOptIn>,
  named: readonly ConfigId[],
): void {
  const known = [...configs, ...unmanaged];
  const unknown = named.filter((each) => !known.some((it) => it.kind === each.kind && it.name === each.name));
  const [first] = unknown;
  if (first !== undefined)
    throw new CommandFailure(
      `the pod template of ${typedName({ kind, name })} does not reference ${unknown.map(typedName).join(', ')}`,
      {
        hint: `mount it with \`trimtab set volume ${typedName({ kind, name })} -t ${first.kind.toLowerCase()} --${first.kind === 'Secret' ? 'secretname' : 'configmapname'} ${first.name}\``,
      },
    );
  if (known.length === 0)
    throw new CommandFailure(
      `the pod template of ${typedName({ kind, name })} references no ConfigMap or Secret`,
    );
}

/** The annotation of a config is read once, when its ConfigRollout is created. Afterwards the spec decides. */
async function setRelease(
  { client, namespace }: Cluster,
  { rollouts }: ConfigsOfCluster,
  { kind, name }: ConfigId,
  release: ReleaseMode,
  dryRun: boolean,
): Promise<string> {
  const mode = release.toLowerCase();
  const result = resultLine({ kind, name }, `set to release mode ${mode}`, { dryRun });
  const rollout = rollouts.find(({ metadata }) => metadata.name === rolloutName(kind, name));
  if (rollout === undefined) {
    const resource = configResources[kind];
    const live = await client.get(resource, { namespace, name }, { projection: 'metadata' });
    await editAnnotations(client, resource, live, () => ({ [annotations.release]: mode }), { dryRun });
    return result;
  }
  const where = { namespace, name: rolloutName(kind, name) };
  const body = { metadata: { uid: rollout.metadata.uid }, spec: { release } };
  await client.patch<ConfigRollout>(configRollouts, where, { type: 'merge', body }, { dryRun, fieldManager });
  return result;
}
