import { activationOutcome, settledOutcome } from '../../core/activation/outcome.ts';
import { clientCommand } from '../client-command.ts';
import { CommandFailure } from '../failure.ts';
import { configPositional } from '../object-argument.ts';
import { steerFlags } from '../release-flags.ts';
import { followSteered, setPaused } from '../steer-rollout.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab resume',
    summary: 'Resumes a paused rollout of a config.',
    positionals: { config: configPositional },
    flags: steerFlags,
    examples: [
      { does: 'Resume the rollout of ConfigMap foo', command: 'trimtab resume foo' },
      {
        does: 'Resume the rollout and show it until its outcome is known',
        command: 'trimtab resume foo --watch',
      },
    ],
  },
  async (context) => {
    const written = await setPaused(context, false, (about) => new CommandFailure(`${about} is not paused`));
    if (!context.flags.watch) return 0;
    const generation = written.rollout.metadata.generation ?? 0;
    const { version } = written.rollout.spec;
    return followSteered(context, written, 'the rollout', (rollout) => {
      if ((rollout.status?.observed?.generation ?? 0) < generation)
        return { state: 'in-progress', text: 'the controller to resume the rollout' };
      return version === undefined ? settledOutcome(rollout) : activationOutcome(rollout, version);
    });
  },
);
