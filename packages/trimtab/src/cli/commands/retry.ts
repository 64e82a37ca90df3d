import { randomBytes } from 'node:crypto';
import { annotations } from '../../api/names.ts';
import { retryOutcome } from '../../core/activation/outcome.ts';
import { clientCommand } from '../client-command.ts';
import { CommandFailure } from '../failure.ts';
import { configPositional } from '../object-argument.ts';
import { steerFlags } from '../release-flags.ts';
import { findSteered, followSteered, patchRollout } from '../steer-rollout.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab retry',
    summary:
      'Tries the wanted version of a config once more after it was rolled back or aborted, for example because the cause was outside of the config.',
    positionals: { config: configPositional },
    flags: steerFlags,
    examples: [
      { does: 'Try the rejected version of ConfigMap foo once more', command: 'trimtab retry foo' },
      { does: 'Try it once more and show the rollout', command: 'trimtab retry foo --watch' },
    ],
  },
  async (context) => {
    const steered = await findSteered(context);
    const { status } = steered.rollout;
    const reason = status?.conditions?.find(
      ({ type, status: value }) => type === 'Degraded' && value === 'True',
    )?.reason;
    if (reason !== 'Rejected' && reason !== 'Aborted') {
      const running =
        status?.target === undefined ? '' : `: version ${status.target.version} is being rolled out`;
      throw new CommandFailure(`${steered.about} has no rejected version to retry${running}`, {
        hint: 'see `trimtab status`; `trimtab activate` makes any version current',
      });
    }
    const value = randomBytes(8).toString('hex');
    await patchRollout(steered, { metadata: { annotations: { [annotations.retry]: value } } });
    context.screen.line(`${steered.about} retried`);
    if (!context.flags.watch) return 0;
    return followSteered(context, steered, 'the rollout', (rollout) => retryOutcome(rollout, value));
  },
);
