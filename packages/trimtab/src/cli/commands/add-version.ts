import { readFile } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import type { ProgramIo } from '@trimtab/kube/flags/program-io.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import { annotations } from '../../api/names.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { versionNameProblem } from '../../core/version/version-name.ts';
import { versionOfConfig } from '../../versions/read-config.ts';
import { findVersion } from '../../versions/reads/find-version.ts';
import { presentVersion, type VersionedConfig } from '../../versions/reads/present.ts';
import { Refusal } from '../../versions/refusal.ts';
import { addVersion } from '../../versions/writes/add-version.ts';
import { configDiff } from '../../view/diff/config-diff.ts';
import { renderDiff } from '../../view/diff/render-diff.ts';
import { clientCommand } from '../client-command.ts';
import { type Cluster, fieldManager } from '../cluster/cluster.ts';
import { manifestContent } from '../config-sources/manifest-content.ts';
import { parseObjects } from '../config-sources/parse-objects.ts';
import { hasSources, readSources, type SourceValues, sourceFlags } from '../config-sources/read-sources.ts';
import { CommandFailure, usageError } from '../failure.ts';
import { type ConfigArgument, configArgument, configPositional, typedName } from '../object-argument.ts';
import { colourDiff } from '../output/colour-diff.ts';
import { outputFlag, outputFormat, renderObject } from '../output/format.ts';
import { shellWords } from '../output/shell-words.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab add-version',
    summary:
      'Adds a version to a config without rolling it out, and prints how it differs from the current version. The version holds exactly the given content: keys that are not given are not in it.',
    positionals: {
      config: { ...configPositional, completes: 'config' },
    },
    flags: {
      ...sourceFlags,
      filename: {
        type: 'string',
        short: 'f',
        placeholder: 'FILE',
        help: 'Manifest of the config in YAML or JSON, instead of the flags above; - reads standard input.',
      },
      version: {
        type: 'string',
        placeholder: 'NAME',
        help: 'Name of the version. Defaults to the next automatic name, such as 1.0.1.',
      },
      showSecrets: { type: 'boolean', help: 'Show the values of a Secret in the diff.' },
      dryRun: {
        type: 'choice',
        choices: ['none', 'server'],
        default: 'none',
        implied: 'server',
        help: 'With server, run all checks and print the diff, but add nothing.',
      },
      output: outputFlag,
    },
    examples: [
      {
        does: 'Add a version to ConfigMap foo',
        command: 'trimtab add-version foo --from-file=config.yml',
      },
      {
        does: 'Add a version with a name to Secret bar',
        command: 'trimtab add-version secret/bar --from-env-file=bar.env --version=2.0.0',
      },
      {
        does: 'Show what a manifest would change',
        command: 'trimtab add-version foo -f foo.yaml --dry-run',
      },
    ],
  },
  async ({ flags, positionals, cluster, screen, warn, io }) => {
    const config = configArgument(positionals.config);
    const format = outputFormat(flags.output);
    const problem = flags.version === undefined ? undefined : versionNameProblem(flags.version);
    if (problem !== undefined)
      throw usageError(`--version ${JSON.stringify(flags.version)} is not a valid version name: ${problem}`);
    const content = await readContent(config, flags, io);
    const open = await cluster();
    const address = { kind: config.kind, namespace: open.namespace, name: config.name };
    const sent: ConfigBody = {
      apiVersion: 'v1',
      kind: config.kind,
      metadata: { name: config.name },
      ...content,
    };
    const isDryRun = flags.dryRun === 'server';
    const [current, by] = await Promise.all([readCurrent(open, address), open.username()]);
    const writer = { client: open.client, fieldManager, by };
    const { object } = await addVersion(writer, address, sent, flags.version, isDryRun);
    const version = object.metadata.annotations?.[annotations.version] ?? '';

    const rendered = renderObject(format, presented(address, object), [
      typedName({ kind: config.kind, name: object.metadata.name ?? '' }),
    ]);
    if (rendered !== undefined) {
      screen.write(rendered);
      return 0;
    }
    const diff = current === undefined ? '' : diffText(config, current, sent, version, flags.showSecrets);
    screen.write(colourDiff(diff, screen));
    screen.line(
      `${config.kind.toLowerCase()} ${JSON.stringify(config.name)} version ${JSON.stringify(version)} added${isDryRun ? ' (server dry run)' : ''}`,
    );
    if (current !== undefined && diff === '')
      warn(`version ${version} has the same content as the current version ${current.metadata.version}`);
    if (!isDryRun)
      screen.line(`Activate it with: ${activation(io.programName, config, version, flags.namespace)}`);
    return 0;
  },
);

async function readContent(
  config: ConfigArgument,
  flags: SourceValues & { filename: string | undefined },
  io: Pick<ProgramIo, 'env' | 'stdin'>,
): Promise<Pick<ConfigBody, 'data' | 'binaryData' | 'type'>> {
  const { filename } = flags;
  if (filename === undefined) {
    if (!hasSources(flags))
      throw usageError(
        'the content of the version is required: set --from-file, --from-literal, --from-env-file or -f',
      );
    return readSources(config, flags, io);
  }
  if (hasSources(flags))
    throw usageError('-f cannot be combined with --from-file, --from-literal or --from-env-file');
  const text = filename === '-' ? await readText(io.stdin) : await readManifest(filename);
  return manifestContent(config, filename === '-' ? 'standard input' : filename, parseObjects(text));
}

async function readManifest(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandFailure(
      code === 'ENOENT'
        ? `the path ${JSON.stringify(file)} does not exist`
        : `${file} cannot be read: ${code}`,
    );
  }
}

/** Undefined when the config does not exist, which adding a version reports, or has no current version yet. */
async function readCurrent(
  { client }: Cluster,
  address: ConfigAddress,
): Promise<VersionedConfig | undefined> {
  try {
    return await findVersion(client, address, 'current', new AbortController().signal);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

function diffText(
  { kind, name }: ConfigArgument,
  current: VersionedConfig,
  sent: ConfigBody,
  version: string,
  showSecrets: boolean,
): string {
  const from = `${name}/${current.metadata.version}`;
  return renderDiff(configDiff({ ...current, kind }, sent, showSecrets), { from, to: `${name}/${version}` });
}

/** The command as the user would type it now. */
function activation(
  programName: string,
  { kind, name }: ConfigArgument,
  version: string,
  namespace: string | undefined,
): string {
  const config = kind === 'Secret' ? `secret/${name}` : name;
  const scope = namespace === undefined ? [] : ['-n', namespace];
  return `${programName} ${shellWords('activate', config, version, ...scope)}`;
}

function presented(address: ConfigAddress, object: ConfigBody): object {
  const version = versionOfConfig(address, object);
  return version === undefined ? object : presentVersion(version, object);
}
