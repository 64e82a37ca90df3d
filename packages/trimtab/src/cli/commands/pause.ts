import { clientCommand } from '../client-command.ts';
import { CommandFailure } from '../failure.ts';
import { configPositional } from '../object-argument.ts';
import { setPaused } from '../steer-rollout.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab pause',
    summary:
      'Pauses the rollout of a config: no workload is updated until `trimtab resume`. A rollout in progress stops where it is.',
    positionals: { config: configPositional },
    flags: {},
    examples: [
      { does: 'Pause the rollout of ConfigMap foo', command: 'trimtab pause foo' },
      {
        does: 'Pause the rollout of a Secret in namespace shop',
        command: 'trimtab pause secret/bar -n shop',
      },
    ],
  },
  async (context) => {
    await setPaused(context, true, (about) => new CommandFailure(`${about} is already paused`));
    return 0;
  },
);
