import { activateVersion } from '../activate-version.ts';
import { clientCommand } from '../client-command.ts';
import { findRollout } from '../cluster/find-rollout.ts';
import { configArgument, configPositional } from '../object-argument.ts';
import { releaseFlags, validateRelease } from '../release-flags.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab activate',
    summary:
      'Makes a version of a config current: prints the plan, asks on a terminal, and shows the rollout until the version is current or rolled back. Exit codes: 0 current, 3 rolled back, 4 timed out, 1 otherwise.',
    positionals: {
      config: configPositional,
      version: { required: true, help: 'Name of the version, such as 1.0.3.', completes: 'version' },
    },
    flags: releaseFlags,
    validate: validateRelease,
    examples: [
      { does: 'Roll out version 1.0.3 of ConfigMap foo', command: 'trimtab activate foo 1.0.3' },
      {
        does: 'Print what the rollout would change',
        command: 'trimtab activate foo 1.0.3 --dry-run',
      },
      {
        does: 'Roll out a version of a Secret in a script, for at most 5 minutes',
        command: 'trimtab activate secret/bar 1.0.1 --yes --timeout 5m',
      },
    ],
  },
  async (context) => {
    const { config, version } = context.positionals;
    const { kind, name } = configArgument(config);
    const cluster = await context.cluster();
    const address = { kind, name, namespace: cluster.namespace };
    const rollout = await findRollout(cluster.client, address);
    return activateVersion(context, cluster, {
      ...{ address, rollout, version, explanation: [], verb: 'Activate', skipBake: false },
    });
  },
);
