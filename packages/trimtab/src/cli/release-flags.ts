import type { Flag } from '@trimtab/kube/flags/flags.ts';
import { outputFlag } from './output/format.ts';

export const timeoutFlag = {
  type: 'duration',
  default: '10m',
  help: 'Time to wait for the outcome; 0 waits without a limit. Afterwards the command ends with exit code 4, and the rollout continues.',
} as const satisfies Flag;

/** The flags of the commands that make another version current. */
export const releaseFlags = {
  dryRun: { type: 'boolean', help: 'Print the plan and change nothing.' },
  yes: { type: 'boolean', short: 'y', help: 'Do not ask for confirmation on a terminal.' },
  watch: {
    type: 'boolean',
    short: 'w',
    default: true,
    help: 'Show the rollout until the version is current or rolled back. --watch=false only requests the version.',
  },
  timeout: timeoutFlag,
  output: { ...outputFlag, help: 'With --dry-run: format of the plan. Defaults to a text for people.' },
} as const satisfies Record<string, Flag>;

export function validateRelease({ given }: { given: ReadonlySet<string> }): string[] {
  return given.has('output') && !given.has('dryRun') ? ['--output is only for the plan of --dry-run'] : [];
}

/** The flags of the commands that steer a rollout. */
export const steerFlags = {
  watch: { type: 'boolean', short: 'w', help: 'Show the rollout until its outcome is known.' },
  timeout: timeoutFlag,
} as const satisfies Record<string, Flag>;
