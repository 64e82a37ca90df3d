import type { ConfigAddress } from '../../core/references/config-address.ts';
import { noConfig } from '../../versions/not-found.ts';
import { listConfigVersions, readLive, readRollout, versionsOf } from '../../versions/read-config.ts';
import { listPods } from '../../versions/reads/list-pods.ts';
import { unmanagedLines, type VersionLine, versionLines } from '../../view/list-versions.ts';
import type { PodObject } from '../../view/pod-use.ts';
import { type ListedVersion, versionList } from '../../view/version-list.ts';
import { clientCommand } from '../client-command.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { missingListText } from '../missing-list.ts';
import { configArgument, configPositional, typedName } from '../object-argument.ts';
import { ageOf } from '../output/age.ts';
import { outputFlag, outputFormat, renderObject } from '../output/format.ts';
import type { Tone } from '../output/screen.ts';
import { type Column, renderTable } from '../output/table.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab versions',
    summary:
      'Lists the versions of a config: state, number of pods that run them, who created them, and age. The oldest version comes first.',
    positionals: { config: configPositional },
    flags: { output: outputFlag },
    examples: [
      { does: 'List the versions of ConfigMap foo', command: 'trimtab versions foo' },
      {
        does: 'List the versions of Secret bar, with their objects and why they were rolled back',
        command: 'trimtab versions secret/bar -o wide',
      },
      {
        does: 'Print the name of the version of ConfigMap foo that is current',
        command: `trimtab versions foo -o jsonpath='{.items[?(@.state=="current")].metadata.name}'`,
      },
    ],
  },
  async ({ flags, positionals, cluster, screen, io, warn }) => {
    const config = configArgument(positionals.config);
    const format = outputFormat(flags.output);
    const { client, namespace } = await cluster();
    const [{ lines, isManaged }, pods] = await Promise.all([
      readLines(client, { ...config, namespace }),
      listPods<PodObject>(client, namespace),
    ]);
    if (pods === undefined)
      warn(missingListText(['pods'], namespace, 'the number of pods of each version is unknown'));
    else if (pods.hidden.length > 0)
      warn(
        missingListText(pods.hidden, namespace, 'reloaded pods count for the version that they started with'),
      );
    const { kind, name } = config;
    const list = versionList(config, lines, pods);
    const names = list.items.map(({ object }) => typedName({ kind, name: object }));
    if (!isManaged)
      io.stderr.write(
        `${kind.toLowerCase()} "${name}" is not managed by Trimtab: its content is shown as its current version.\n`,
      );
    else if (list.items.length === 0)
      io.stderr.write(`No versions of ${kind.toLowerCase()} "${name}" found in ${namespace} namespace.\n`);
    const text = renderObject(format, list, names);
    if (text !== undefined) screen.write(text);
    else if (list.items.length > 0)
      screen.write(
        renderTable(columns(Date.now()), list.items, screen, {
          wide: format.format === 'table' && format.wide,
        }),
      );
    return 0;
  },
);

async function readLines(
  client: Cluster['client'],
  address: ConfigAddress,
): Promise<{ lines: VersionLine[]; isManaged: boolean }> {
  const [rollout, found] = await Promise.all([
    readRollout(client, address),
    listConfigVersions(client, address),
  ]);
  if (rollout !== undefined)
    return { lines: versionLines(rollout, versionsOf(rollout, found)), isManaged: true };
  const live = await readLive(client, address);
  if (live === undefined && found.length === 0) throw noConfig(address);
  return { lines: unmanagedLines(live, found), isManaged: false };
}

const tones: Record<ListedVersion['state'], Tone | undefined> = {
  current: 'good',
  'being-current': 'busy',
  'not-current': undefined,
  rejected: 'bad',
};

function columns(now: number): Column<ListedVersion>[] {
  return [
    { title: 'VERSION', cell: ({ metadata }) => metadata.name, flexible: true },
    { title: 'STATE', cell: ({ state }) => state, tone: ({ state }) => tones[state] },
    { title: 'PODS', cell: ({ pods }) => (pods === undefined ? '<unknown>' : String(pods)) },
    { title: 'BY', cell: ({ createdBy }) => createdBy || '<none>', flexible: true },
    { title: 'AGE', cell: ({ metadata }) => ageOf(metadata.creationTimestamp, now) },
    { title: 'SEQUENCE', cell: ({ sequence }) => String(sequence), wide: true },
    { title: 'OBJECT', cell: ({ object }) => object, wide: true },
    { title: 'REJECTED', cell: ({ rejected }) => rejected ?? '<none>', wide: true, flexible: true },
  ];
}
