import { configResources } from '@trimtab/kube/resource.ts';
import { isConflict } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject, OwnerReference } from '@trimtab/kube/wire.ts';
import { annotations, labels } from '../../../api/names.ts';
import { withOwner, withoutOwner } from '../../../core/workload/owner-references.ts';
import { isWorkloadKind } from '../../../core/workload/workload-key.ts';
import { readRollout } from '../../../versions/read-config.ts';
import { clientCommand } from '../../client-command.ts';
import { type Cluster, fieldManager } from '../../cluster/cluster.ts';
import { CommandFailure, usageError } from '../../failure.ts';
import {
  type ConfigArgument,
  configArgument,
  configPositional,
  objectArgument,
  typedName,
  type WorkloadArgument,
} from '../../object-argument.ts';
import { outputFlag, outputFormat } from '../../output/format.ts';
import { type DryRun, dryRunFlag, printWritten } from '../../output/written.ts';
import { ownerWarnings, readOwner, usesConfig } from '../../owner/read-owner.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab set owner',
    summary:
      'Sets the workload that owns configs. Trimtab releases edits of a config to its owner, if the owner uses it; Kubernetes deletes the config with its owner.',
    positionals: {
      config: { ...configPositional, completes: 'config' },
      owner: {
        many: true,
        help: 'More configs, and last the owner, such as deployment/bar.',
        completes: 'object',
      },
    },
    flags: {
      remove: {
        type: 'boolean',
        help: 'Remove the owner instead; without an owner, remove all owners that are workloads. Trimtab keeps managing the configs.',
      },
      dryRun: dryRunFlag,
      output: outputFlag,
    },
    examples: [
      {
        does: 'Link ConfigMap foo to Deployment bar',
        command: 'trimtab set owner configmap/foo deployment/bar',
      },
      {
        does: 'Link two configs to a StatefulSet',
        command: 'trimtab set owner configmap/foo secret/foo statefulset/db',
      },
      { does: 'Remove the link', command: 'trimtab set owner configmap/foo deployment/bar --remove' },
    ],
  },
  async ({ flags, positionals, cluster, screen, warn }) => {
    const format = outputFormat(flags.output);
    const { configs, workload } = splitArguments([positionals.config, ...positionals.owner], flags.remove);
    const open = await cluster();
    const isShown = format.format !== 'table' && format.format !== 'name';
    // All objects are read before the first one is written, so that a wrong name changes nothing.
    const [owner, ...found] = await Promise.all([
      workload && !flags.remove ? readOwner(open, workload) : undefined,
      ...configs.map((config) => readConfig(open, config, isShown)),
    ]);
    const users = await Promise.all(configs.map((config) => owner && usesConfig(open, owner, config, warn)));
    const change = owner
      ? (references: readonly OwnerReference[]) => withOwner(references, owner.reference)
      : (references: readonly OwnerReference[]) => withoutOwners(references, workload);
    for (const [index, config] of configs.entries()) {
      const first = found[index] as KubeObject;
      const { object, references, changed } = await write(open, config, first, change, flags.dryRun);
      if (index > 0 && format.format === 'yaml') screen.line('---');
      printWritten(screen, format, 'updated', object, flags.dryRun);
      const warnings = owner
        ? ownerWarnings(owner, config, references, users[index] === true)
        : await removalWarnings(open, config, workload, changed);
      warnings.forEach(warn);
    }
    return 0;
  },
);

function splitArguments(
  words: readonly string[],
  remove: boolean,
): { configs: ConfigArgument[]; workload: WorkloadArgument | undefined } {
  const last = objectArgument(words.at(-1) ?? '');
  const workload = last.is === 'workload' ? last : undefined;
  const configs = (workload ? words.slice(0, -1) : words).map(configArgument);
  if (configs.length === 0)
    throw usageError(`'${words[0]}' is a workload: name the config before it, such as configmap/foo`);
  if (workload === undefined && !remove)
    throw usageError('the owner is required as the last argument, such as deployment/bar');
  return { configs, workload };
}

function withoutOwners(
  references: readonly OwnerReference[],
  workload: WorkloadArgument | undefined,
): OwnerReference[] | undefined {
  if (workload !== undefined) return withoutOwner(references, workload);
  const left = references.filter(({ kind }) => !isWorkloadKind(kind));
  return left.length === references.length ? undefined : left;
}

/** Reads the content only when it is printed. */
async function readConfig(
  { client, namespace }: Cluster,
  { kind, name }: ConfigArgument,
  isShown: boolean,
): Promise<KubeObject> {
  const resource = configResources[kind];
  const object = await client.get<KubeObject>(
    resource,
    { namespace, name },
    { projection: isShown ? 'full' : 'metadata' },
  );
  const { labels: its, annotations: notes } = object.metadata;
  const of = its?.[labels.versionOf] && notes?.[annotations.config];
  if (of)
    throw new CommandFailure(
      `${typedName({ kind, name })} is a version of ${typedName({ kind, name: of })}`,
      {
        hint: `set the owner of ${typedName({ kind, name: of })} instead`,
      },
    );
  // A projection has the kind PartialObjectMetadata.
  return { ...object, apiVersion: 'v1', kind };
}

interface Written {
  object: KubeObject;
  references: readonly OwnerReference[];
  changed: boolean;
}

/** Another writer may change the config at the same time. */
const maxTries = 5;

async function write(
  cluster: Cluster,
  config: ConfigArgument,
  first: KubeObject,
  change: (references: readonly OwnerReference[]) => OwnerReference[] | undefined,
  dryRun: DryRun,
): Promise<Written> {
  const { client, namespace } = cluster;
  let object = first;
  for (let tries = 1; ; tries++) {
    const before = object.metadata.ownerReferences ?? [];
    const ownerReferences = change(before);
    if (ownerReferences === undefined) return { object, references: before, changed: false };
    if (dryRun === 'client') {
      const metadata = { ...object.metadata, ownerReferences };
      return { object: { ...object, metadata }, references: ownerReferences, changed: true };
    }
    const { resourceVersion } = object.metadata;
    const body = { metadata: { resourceVersion, ownerReferences } };
    try {
      const where = { namespace, name: config.name };
      const options = { fieldManager, ...(dryRun === 'server' && { dryRun: true }) };
      const patched = await client.patch<KubeObject>(
        configResources[config.kind],
        where,
        { type: 'merge', body },
        options,
      );
      return { object: patched, references: ownerReferences, changed: true };
    } catch (error) {
      if (!isConflict(error) || tries === maxTries) throw error;
    }
    object = await readConfig(cluster, config, 'data' in object);
  }
}

async function removalWarnings(
  { client, namespace }: Cluster,
  config: ConfigArgument,
  workload: WorkloadArgument | undefined,
  changed: boolean,
): Promise<string[]> {
  const owned = typedName(config);
  if (!changed)
    return [
      `${owned} is not owned by ${workload === undefined ? 'a workload' : typedName(workload)}; nothing was changed`,
    ];
  // Reading the rollout may be forbidden, and is not essential.
  const rollout = await readRollout(client, { ...config, namespace }).catch(() => undefined);
  return rollout === undefined
    ? []
    : [`Trimtab still manages ${owned}: removing the owner does not opt out; \`trimtab unmanage\` does`];
}
