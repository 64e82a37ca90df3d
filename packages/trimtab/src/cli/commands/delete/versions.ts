import { keepReasons } from '../../../api/reasons/response-reasons.ts';
import { type Deletion, deleteAllVersions } from '../../../versions/writes/delete-versions.ts';
import { clientCommand } from '../../client-command.ts';
import { fieldManager } from '../../cluster/cluster.ts';
import { confirm } from '../../confirm.ts';
import { dryRunFlag, dryRunSuffix } from '../../dry-run.ts';
import { exitCodes } from '../../failure.ts';
import { configArgument, configPositional } from '../../object-argument.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab delete versions',
    summary:
      'Deletes all versions of a config but those that are current, being rolled out, requested or in use, and says why each of these is kept. The config itself stays.',
    positionals: { config: configPositional },
    flags: {
      yes: { type: 'boolean', short: 'y', help: 'Delete without asking for confirmation.' },
      dryRun: dryRunFlag,
    },
    examples: [
      {
        does: 'Delete the versions of ConfigMap foo that nothing needs',
        command: 'trimtab delete versions foo',
      },
      {
        does: 'Show which versions of Secret bar would be deleted',
        command: 'trimtab delete versions secret/bar --dry-run',
      },
    ],
  },
  async ({ flags, positionals, cluster, screen, io }) => {
    const config = configArgument(positionals.config);
    const named = `${config.kind.toLowerCase()} "${config.name}"`;
    const { client, namespace } = await cluster();
    const request = (dryRun: boolean) =>
      deleteAllVersions({ client, fieldManager }, { ...config, namespace }, { dryRun });
    const asks = !flags.yes && flags.dryRun === 'none' && io.stdin.isTTY === true;
    const preview = asks ? (await request(true)).deleted.map(({ version }) => version) : [];
    const about = `You are about to delete the following ${preview.length} version(s) of ${named}:\n${preview.join('\n')}`;
    if (preview.length > 0 && !(await confirm(io, `${about}\nDo you want to continue?`))) {
      screen.line('deletion is cancelled');
      return exitCodes.failed;
    }
    const result = await request(flags.dryRun !== 'none');
    for (const { version } of result.deleted)
      screen.line(`version "${version}" of ${named} deleted${dryRunSuffix(flags.dryRun)}`);
    for (const { version, message } of result.kept)
      screen.line(`version "${version}" of ${named} kept: ${message}`);
    return exitCodeOf(result);
  },
);

/** A config that has no version but the current one is in order: there was nothing to delete. */
function exitCodeOf({ deleted, kept }: Deletion): number {
  const isFailure = kept.some(({ reason }) => !Object.hasOwn(keepReasons, reason) || reason === 'Unknown');
  const isRefused = deleted.length === 0 && kept.some(({ reason }) => reason !== 'Current');
  return isFailure || isRefused ? exitCodes.failed : exitCodes.done;
}
