import type { Outcome } from '../core/activation/outcome.ts';
import { withoutRemedy } from '../view/rollout-headline.ts';
import { CommandFailure, exitCodes } from './failure.ts';
import { humanDuration } from './output/age.ts';
import type { Ended } from './show-progress.ts';
import { suggestedCommand } from './suggested-command.ts';

interface Asked {
  io: { programName: string; stderr: { write(text: string): unknown } };
  flags: { namespace: string | undefined; context: string | undefined; timeoutMs: number };
  config: { kind: string; name: string };
  /** What goes on in the cluster after Ctrl-C or a timeout, such as `the rollout of version 1.0.3`. */
  subject: string;
}

/** Returns the exit code of a command that followed a rollout. Throws what is printed as an error. */
export function reportEnd(ended: Ended, asked: Asked): number {
  const { io, flags, config, subject } = asked;
  const follow = suggestedCommand(asked, 'status', config, '-w');
  const abort = suggestedCommand(asked, 'abort', config);
  switch (ended.how) {
    case 'interrupted':
      io.stderr.write(`Interrupted: ${subject} continues\n`);
      io.stderr.write(`hint: follow it with ${follow}, or abort it with ${abort}\n`);
      return exitCodes.interrupted;
    case 'timed out':
      throw new CommandFailure(
        `timed out after ${humanDuration(flags.timeoutMs)} waiting for ${ended.waitedFor}; ${subject} continues`,
        { exitCode: exitCodes.timedOut, hint: `follow it with ${follow}, or abort it with ${abort}` },
      );
    case 'outcome':
      if (ended.outcome.state === 'current') return exitCodes.done;
      throw outcomeFailure(ended.outcome, suggestedCommand(asked, 'retry', config));
  }
}

type Failed = Exclude<Outcome, { state: 'in-progress' | 'current' }>;

export function outcomeFailure({ state, reason }: Failed, retry: string): CommandFailure {
  const isRetryable = state === 'rolled-back' || state === 'aborted';
  return new CommandFailure(withoutRemedy(reason), {
    exitCode: exitCodeOf(state),
    ...(isRetryable && { hint: `edit the config, or try the version once more with ${retry}` }),
  });
}

export function exitCodeOf(state: Exclude<Outcome['state'], 'in-progress'>): number {
  if (state === 'current') return exitCodes.done;
  return state === 'rolled-back' ? exitCodes.rolledBack : exitCodes.failed;
}
