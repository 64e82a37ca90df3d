import { annotations } from '../../api/names.ts';
import { abortOutcome } from '../../core/activation/outcome.ts';
import { clientCommand } from '../client-command.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import { followConfig } from '../follow-config.ts';
import { configPositional } from '../object-argument.ts';
import { steerFlags } from '../release-flags.ts';
import { outcomeFailure, reportEnd } from '../report-outcome.ts';
import { findSteered, patchRollout } from '../steer-rollout.ts';
import { suggestedCommand } from '../suggested-command.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab abort',
    summary:
      'Aborts the rollout of a config: all workloads get their previous versions back, and the version is not tried again by itself.',
    positionals: { config: configPositional },
    flags: steerFlags,
    examples: [
      { does: 'Abort the rollout of ConfigMap foo', command: 'trimtab abort foo' },
      { does: 'Abort it and show the way back', command: 'trimtab abort foo --watch' },
    ],
  },
  async (context) => {
    const steered = await findSteered(context);
    const { target, phase, current } = steered.rollout.status ?? {};
    if (target === undefined) {
      const rest = current === undefined ? '' : `: version ${current.version} is current`;
      throw new CommandFailure(`${steered.about} has no rollout to abort${rest}`, {
        hint: `go back to an earlier version with ${suggestedCommand(context, 'rollback', steered.address)}`,
      });
    }
    if (phase === 'RollingBack' || phase === 'RollbackFailed')
      throw new CommandFailure(`version ${target.version} of ${steered.about} is already being rolled back`);
    const { activation, version } = target;
    await patchRollout(steered, { metadata: { annotations: { [annotations.abort]: activation } } });
    context.screen.line(`${steered.about} aborted`);
    if (!context.flags.watch) return exitCodes.done;
    const { io, screen, warn, flags } = context;
    const { client, address } = steered;
    const ended = await followConfig({
      ...{ io, screen, warn, client, address, timeoutMs: flags.timeoutMs },
      outcome: (rollout) => abortOutcome(rollout, activation, version),
    });
    if (ended.how !== 'outcome')
      return reportEnd(ended, { io, flags, config: address, subject: 'the rollback' });
    if (ended.outcome.state === 'aborted') {
      screen.line(ended.outcome.reason);
      return exitCodes.done;
    }
    if (ended.outcome.state === 'current')
      throw new CommandFailure(`version ${version} became current before it could be aborted`, {
        hint: `go back with ${suggestedCommand(context, 'rollback', address)}`,
      });
    throw outcomeFailure(ended.outcome, suggestedCommand(context, 'retry', address));
  },
);
