import { deleteVersion } from '../../../versions/writes/delete-versions.ts';
import { clientCommand } from '../../client-command.ts';
import { fieldManager } from '../../cluster/cluster.ts';
import { confirm } from '../../confirm.ts';
import { dryRunFlag, dryRunSuffix } from '../../dry-run.ts';
import { exitCodes, reportFailure } from '../../failure.ts';
import { configArgument, configPositional } from '../../object-argument.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab delete version',
    summary:
      'Deletes versions of a config. A version that is current, being rolled out, requested or in use is not deleted. The name of a deleted version cannot be used again.',
    positionals: {
      config: configPositional,
      version: {
        required: true,
        many: true,
        help: 'Names of the versions to delete.',
        completes: 'version',
      },
    },
    flags: {
      yes: { type: 'boolean', short: 'y', help: 'Delete without asking for confirmation.' },
      dryRun: dryRunFlag,
    },
    examples: [
      { does: 'Delete version 1.0.1 of ConfigMap foo', command: 'trimtab delete version foo 1.0.1' },
      {
        does: 'Check whether two versions of Secret bar can be deleted',
        command: 'trimtab delete version secret/bar 1.0.1 1.0.2 --dry-run',
      },
    ],
  },
  async ({ flags, positionals, cluster, screen, io }) => {
    const config = configArgument(positionals.config);
    const names = [...new Set(positionals.version)];
    const named = `${config.kind.toLowerCase()} "${config.name}"`;
    const { client, namespace } = await cluster();
    const about = `You are about to delete the following ${names.length} version(s) of ${named}:\n${names.join('\n')}`;
    if (!flags.yes && flags.dryRun === 'none' && !(await confirm(io, `${about}\nDo you want to continue?`))) {
      screen.line('deletion is cancelled');
      return exitCodes.failed;
    }
    const request = { dryRun: flags.dryRun !== 'none', preconditions: {} };
    let exitCode: number = exitCodes.done;
    // As kubectl, which goes on with the next object after a failure.
    for (const name of names)
      try {
        const version = await deleteVersion(
          { client, fieldManager },
          { ...config, namespace },
          name,
          request,
        );
        screen.line(`version "${version.name}" of ${named} deleted${dryRunSuffix(flags.dryRun)}`);
      } catch (error) {
        exitCode = reportFailure(error, io);
      }
    return exitCode;
  },
);
