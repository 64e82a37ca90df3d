import type { KubeClient } from '@trimtab/kube/client.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { previousVersion } from '../../core/version/previous-version.ts';
import { listVersions } from '../../versions/read-config.ts';
import { readCurrentVersion } from '../../versions/reads/read-current-version.ts';
import { activateVersion } from '../activate-version.ts';
import { clientCommand } from '../client-command.ts';
import { findRollout } from '../cluster/find-rollout.ts';
import { CommandFailure } from '../failure.ts';
import { configArgument, configPositional } from '../object-argument.ts';
import { releaseFlags, validateRelease } from '../release-flags.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab rollback',
    summary:
      'Makes the version current that was current before. While another version is being rolled out, goes back to the current version. The bake time is skipped; pods are judged all the same. Exit codes as for trimtab activate.',
    positionals: { config: configPositional },
    flags: {
      to: {
        type: 'string',
        placeholder: 'VERSION',
        completes: 'version',
        help: 'Version to make current. Defaults to the version that was current before.',
      },
      ...releaseFlags,
    },
    validate: validateRelease,
    examples: [
      { does: 'Go back to the version that was current before', command: 'trimtab rollback foo' },
      {
        does: 'Go back to a certain version without a question',
        command: 'trimtab rollback foo --to 1.0.1 --yes',
      },
    ],
  },
  async (context) => {
    const { kind, name } = configArgument(context.positionals.config);
    const cluster = await context.cluster();
    const address = { kind, name, namespace: cluster.namespace };
    const rollout = await findRollout(cluster.client, address);
    const { to } = context.flags;
    const chosen =
      to === undefined
        ? await chooseVersion(cluster.client, address, rollout)
        : { version: to, explanation: [] };
    return activateVersion(context, cluster, {
      ...{ address, rollout, ...chosen, verb: 'Roll back to', skipBake: true },
    });
  },
);

async function chooseVersion(
  client: KubeClient,
  address: ConfigAddress,
  rollout: ConfigRollout,
): Promise<{ version: string; explanation: string[] }> {
  const running = rollout.status?.target?.version;
  const current = (await readCurrentVersion(client, address, rollout))?.name;
  if (running !== undefined && current !== undefined)
    return {
      version: current,
      explanation: [
        `Version ${running} is being rolled out: the rollback ends this and goes back to version ${current}, which is current`,
      ],
    };
  const previous = previousVersion(rollout, await listVersions(client, address, rollout), current);
  const { phase, history } = rollout.status ?? {};
  const isBack = phase === 'Failed' || phase === 'Aborted';
  const explanation = isBack
    ? [`Version ${history?.[0]?.version} is not rolled out any more: version ${current} is current already`]
    : [];
  if (previous !== undefined) return { version: previous.name, explanation };
  throw new CommandFailure(
    `${address.kind.toLowerCase()} "${address.name}" has no earlier version that was current`,
    { hint: 'name a version with --to; `trimtab versions` lists them' },
  );
}
