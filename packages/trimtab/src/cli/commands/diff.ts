import { reservedVersionName } from '../../api/names.ts';
import { findCurrentVersion } from '../../core/activation/current-version.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { unmanagedVersionName } from '../../core/version/unmanaged-version.ts';
import { noConfig, noVersion } from '../../versions/not-found.ts';
import {
  listConfigVersions,
  readLive,
  readRollout,
  readVersion,
  versionsOf,
} from '../../versions/read-config.ts';
import { type DiffSide, versionDiff } from '../../view/diff/version-diff.ts';
import { clientCommand } from '../client-command.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { configArgument, configPositional } from '../object-argument.ts';
import { colourDiff } from '../output/colour-diff.ts';
import { objectOutputFlag, objectOutputFormat, renderObject } from '../output/format.ts';

/** Stands for the content of the ConfigMap or Secret itself, unless a version has this name. */
const liveName = 'live';

/** The exit codes of diff(1). */
const exitCodes = { equal: 0, different: 1, failed: 2 } as const;

export const { program, run } = clientCommand(
  {
    name: 'trimtab diff',
    summary:
      'Compares two versions of a config key by key, as a unified diff. Values of Secrets are masked. The exit code is 0 without a difference, 1 with one, and 2 after a failure, as that of diff.',
    positionals: {
      config: configPositional,
      a: {
        help: 'Version to compare with the current one, or with B. `current` and `live` stand for the current version and the content of the config itself. Defaults to the newest version.',
        completes: 'version',
      },
      b: { help: 'Version to compare A with.', completes: 'version' },
    },
    flags: {
      showSecrets: { type: 'boolean', help: 'Show the values of Secrets.' },
      output: objectOutputFlag,
    },
    examples: [
      {
        does: 'Show what the newest version of ConfigMap foo would change',
        command: 'trimtab diff foo',
      },
      { does: 'Compare the current version with version 1.0.1', command: 'trimtab diff foo 1.0.1' },
      { does: 'Compare two versions', command: 'trimtab diff foo 1.0.0 1.0.2' },
      {
        does: 'Show what was edited since the current version, with the values of the Secret',
        command: 'trimtab diff secret/bar live --show-secrets',
      },
    ],
  },
  async ({ flags, positionals, cluster, screen }) => {
    const config = configArgument(positionals.config);
    const format = objectOutputFormat(flags.output);
    const { client, namespace } = await cluster();
    const [from, to] = await readSides(client, { ...config, namespace }, positionals.a, positionals.b);
    const { isEqual, text, object } = versionDiff(config, from, to, flags.showSecrets);
    screen.write(renderObject(format, object(), []) ?? colourDiff(text(), screen));
    return isEqual ? exitCodes.equal : exitCodes.different;
  },
  { failureExitCode: exitCodes.failed },
);

async function readSides(
  client: Cluster['client'],
  address: ConfigAddress,
  a: string | undefined,
  b: string | undefined,
): Promise<[DiffSide, DiffSide]> {
  const [rollout, listed] = await Promise.all([
    readRollout(client, address),
    listConfigVersions(client, address),
  ]);
  const live = async (version: string): Promise<DiffSide> => {
    const body = await readLive(client, address);
    if (body === undefined) throw noConfig(address);
    return { version, body };
  };
  const [first, second] = a === undefined || b === undefined ? [reservedVersionName, a] : [a, b];
  if (rollout === undefined) {
    const { body } = await live(liveName);
    const only = unmanagedVersionName(body);
    const side = (name: string): DiffSide => {
      if (![only, reservedVersionName, liveName].includes(name)) throw noVersion(address, name);
      return { version: name === liveName ? liveName : only, body };
    };
    return [side(first), side(second ?? only)];
  }
  const versions = versionsOf(rollout, listed).map(({ version }) => version);
  const read = async (asked: string): Promise<DiffSide> => {
    const name = asked === reservedVersionName ? findCurrentVersion(versions, rollout.status)?.name : asked;
    if (name === liveName && versions.every((each) => each.name !== liveName)) return live(liveName);
    const found = name === undefined ? undefined : await readVersion(client, address, rollout, name);
    if (name === undefined || found === undefined) throw noVersion(address, asked);
    return { version: name, body: found.body };
  };
  const newest = versions.at(-1)?.name ?? reservedVersionName;
  return Promise.all([read(first), read(second ?? newest)]);
}
