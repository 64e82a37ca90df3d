import type { Flag, Flags, ParsedFlags } from '@trimtab/kube/flags/flags.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import { annotations } from '../../api/names.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { versionNameProblem } from '../../core/version/version-name.ts';
import { createConfig as createVersionedConfig } from '../../versions/writes/create-config.ts';
import type { CommandContext } from '../client-command.ts';
import { type Cluster, fieldManager } from '../cluster/cluster.ts';
import { nameHash } from '../config-sources/name-hash.ts';
import { readSources, sourceFlags } from '../config-sources/read-sources.ts';
import { CommandFailure, exitCodes, usageError } from '../failure.ts';
import { workloadArgument } from '../object-argument.ts';
import { outputFlag, outputFormat } from '../output/format.ts';
import { dryRunFlag, printWritten } from '../output/written.ts';
import { ownerWarnings, readOwner, usesConfig } from '../owner/read-owner.ts';

/** The flags of `create configmap` and `create secret generic`. */
export const createFlags = {
  ...sourceFlags,
  version: {
    type: 'string',
    placeholder: 'NAME',
    help: 'Name of the first version, such as 1.0.0. The config is then locked: its data changes by new versions only, unless --release or --owner is set.',
  },
  owner: {
    type: 'string',
    placeholder: 'TYPE/NAME',
    help: 'Workload that owns the config. Trimtab releases edits of the config to it, and Kubernetes deletes the config with it.',
  },
  release: {
    type: 'choice',
    choices: ['auto', 'manual', 'locked'],
    help: 'What an edit of the config does: auto releases it, manual makes a version of it, locked refuses it. Defaults to locked with --version, and to auto with --owner.',
  },
  appendHash: {
    type: 'boolean',
    help: 'Append a hash of the content to the name, as kubectl does. The hash has 40 bits and no salt: whoever may read the name of a Secret, also in a workload, can test guesses of a short value. Not with --version or --owner.',
  },
  dryRun: dryRunFlag,
  output: outputFlag,
} as const satisfies Record<string, Flag>;

type CreateValues = ParsedFlags<typeof createFlags>;

export interface NewConfig {
  kind: ConfigKind;
  name: string;
  /** Only Secrets have a type. */
  type?: string | undefined;
}

/** Creates a config from files and literals as kubectl does; with a version, with a ConfigRollout and its first version. */
export async function createConfig(
  wanted: NewConfig,
  {
    flags,
    io,
    screen,
    cluster,
    warn,
  }: Pick<CommandContext<Flags, Record<never, never>>, 'io' | 'screen' | 'cluster' | 'warn'> & {
    flags: CreateValues & { namespace: string | undefined };
  },
): Promise<number> {
  const format = outputFormat(flags.output);
  checkFlags(flags);
  const workload = flags.owner === undefined ? undefined : workloadArgument(flags.owner);
  const body = configBody(wanted, flags, await readSources(wanted, flags, io));
  if (flags.dryRun === 'client' && workload === undefined) {
    printWritten(screen, format, 'created', body, 'client');
    return exitCodes.done;
  }
  const open = await cluster();
  const owner = workload && (await readOwner(open, workload));
  const owned = owner
    ? { ...body, metadata: { ...body.metadata, ownerReferences: [owner.reference] } }
    : body;
  const config = { is: 'config', kind: wanted.kind, name: body.metadata.name ?? '' } as const;
  // All reads come before the write: a failure after it would hide that the config was created.
  const isUsed = owner && (await usesConfig(open, owner, config, warn));
  const { created, notices } =
    flags.dryRun === 'client' ? { created: owned, notices: [] } : await create(open, owned, flags);
  printWritten(screen, format, 'created', created, flags.dryRun);
  notices.forEach(warn);
  if (owner) ownerWarnings(owner, config, [owner.reference], isUsed === true).forEach(warn);
  return exitCodes.done;
}

function checkFlags({ version, owner, appendHash }: CreateValues): void {
  const problem = version === undefined ? undefined : versionNameProblem(version);
  if (problem !== undefined)
    throw usageError(`--version ${JSON.stringify(version)} is not a valid version name: ${problem}`);
  if (appendHash && (version !== undefined || owner !== undefined))
    throw usageError(
      '--append-hash cannot be combined with --version or --owner: with a new name for every content, a config has no versions to roll back to',
    );
}

function configBody(
  { kind, name, type }: NewConfig,
  flags: CreateValues & { namespace: string | undefined },
  content: Pick<ConfigBody, 'data' | 'binaryData'>,
): ConfigBody {
  const { namespace, appendHash, version, owner } = flags;
  // An owner opts in to releases of edits, so a first version with a name does not lock the config.
  const release = flags.release ?? (version !== undefined && owner !== undefined ? 'auto' : undefined);
  const body: ConfigBody = {
    apiVersion: 'v1',
    kind,
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    ...content,
    ...(type !== undefined && { type }),
  };
  const chosen = {
    ...(release !== undefined && { [annotations.release]: release }),
    ...(version !== undefined && { [annotations.version]: version }),
  };
  if (Object.keys(chosen).length > 0) body.metadata.annotations = chosen;
  if (appendHash) body.metadata.name = `${name}-${nameHash(body)}`;
  return body;
}

async function create(
  { client, namespace, username }: Cluster,
  body: ConfigBody,
  { version, dryRun }: CreateValues,
): Promise<{ created: ConfigBody; notices: readonly string[] }> {
  const kind = body.kind as ConfigKind;
  const [resource, name] = [configResources[kind], body.metadata.name ?? ''];
  const located = { ...body, metadata: { ...body.metadata, namespace } };
  const isDryRun = dryRun === 'server';
  if (version === undefined) {
    const options = { fieldManager, ...(isDryRun && { dryRun: true }) };
    const created = await client.create(resource, located, options).catch((error: unknown) => {
      throw asKubectl(error, kind, name);
    });
    return { created, notices: [] };
  }
  const writer = { client, fieldManager, by: await username() };
  const address = { kind, namespace, name };
  const { notices } = await createVersionedConfig(writer, address, located, version, isDryRun);
  return {
    created: isDryRun ? located : await client.get<ConfigBody>(resource, { namespace, name }),
    notices,
  };
}

/** The texts of kubectl for objects that exist or are invalid. */
function asKubectl(error: unknown, kind: ConfigKind, name: string): unknown {
  if (!(error instanceof ApiError) || (error.status !== 409 && error.status !== 422)) return error;
  const what = kind === 'Secret' ? 'secret' : 'configmap:';
  const config = kind === 'Secret' ? `secret/${name}` : name;
  return new CommandFailure(`failed to create ${what} ${error.body.message ?? error.message}`, {
    cause: error,
    ...(error.status === 409 && {
      hint: `edit it, or add a version to it with \`trimtab add-version ${config} --from-file=…\``,
    }),
  });
}
