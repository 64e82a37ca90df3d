import { noConfig } from '../../versions/not-found.ts';
import { readLive, readRollout } from '../../versions/read-config.ts';
import { type Activation, activationHistory } from '../../view/activation-history.ts';
import { clientCommand } from '../client-command.ts';
import { configArgument, configPositional } from '../object-argument.ts';
import { humanDuration } from '../output/age.ts';
import { objectOutputFlag, objectOutputFormat, renderObject } from '../output/format.ts';
import type { Tone } from '../output/screen.ts';
import { type Column, renderTable } from '../output/table.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab history',
    summary:
      'Lists the activations of a config: version, result, duration, who requested them, and why. The newest comes first; one that runs is at the top. The last 20 activations are kept.',
    positionals: { config: configPositional },
    flags: { output: objectOutputFlag },
    examples: [
      { does: 'List the activations of ConfigMap foo', command: 'trimtab history foo' },
      {
        does: 'Print why the last activation of Secret bar was rolled back',
        command: "trimtab history secret/bar -o jsonpath='{.items[0].reason}'",
      },
    ],
  },
  async ({ flags, positionals, cluster, screen, io }) => {
    const config = configArgument(positionals.config);
    const format = objectOutputFormat(flags.output);
    const { client, namespace } = await cluster();
    const address = { ...config, namespace };
    const rollout = await readRollout(client, address);
    if (rollout === undefined && (await readLive(client, address)) === undefined) throw noConfig(address);
    const list = activationHistory(rollout, Date.now());
    const named = `${config.kind.toLowerCase()} "${config.name}"`;
    if (rollout === undefined)
      io.stderr.write(`${named} is not managed by Trimtab and has no activations.\n`);
    else if (list.items.length === 0)
      io.stderr.write(`No activations of ${named} found in ${namespace} namespace.\n`);
    const text = renderObject(format, list, []);
    if (text !== undefined) screen.write(text);
    else if (list.items.length > 0) screen.write(renderTable(columns, list.items, screen));
    return 0;
  },
);

const tones: Readonly<Record<string, Tone>> = {
  Current: 'good',
  RolledBack: 'bad',
  RollingBack: 'bad',
  RollbackFailed: 'bad',
  Failed: 'bad',
  Superseded: 'faint',
};

const columns: Column<Activation>[] = [
  { title: 'VERSION', cell: ({ version }) => version, flexible: true },
  {
    title: 'RESULT',
    cell: ({ result }) => result,
    tone: ({ result, finishedAt }) => tones[result] ?? (finishedAt === undefined ? 'busy' : undefined),
  },
  { title: 'STARTED', cell: ({ startedAt }) => startedAt },
  { title: 'DURATION', cell: ({ durationSeconds }) => humanDuration(durationSeconds * 1000) },
  { title: 'BY', cell: ({ by }) => by ?? '<none>', flexible: true },
  { title: 'REASON', cell: ({ reason }) => reason ?? '<none>', flexible: true },
];
