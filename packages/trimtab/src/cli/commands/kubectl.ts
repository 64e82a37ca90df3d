import type { ProgramIo } from '@trimtab/kube/flags/program-io.ts';
import type { Command } from '@trimtab/kube/flags/run-command.ts';
import { reportFailure } from '../failure.ts';
import { ownCommand } from '../kubectl/own-command.ts';
import { runKubectl } from '../kubectl/run-kubectl.ts';

export const program = {
  name: 'trimtab kubectl',
  summary:
    "Runs kubectl with the same arguments. Trimtab runs `set owner`, `set volume` and `create configmap` itself, so that these commands work with `alias kubectl='trimtab kubectl'`. KUBECTL names another kubectl than the one on the PATH.",
  flags: {},
  positionals: { arguments: { many: true, help: 'Arguments of kubectl.' } },
  examples: [
    {
      does: 'Use Trimtab wherever you type kubectl',
      command: "alias kubectl='trimtab kubectl'",
    },
    {
      does: 'Link ConfigMap foo to Deployment bar',
      command: 'trimtab kubectl set owner configmap/foo deployment/bar',
    },
  ],
} as const;

const commands: Record<string, () => Promise<Command>> = {
  'set owner': () => import('./set/owner.ts'),
  'set volume': () => import('./set/volume.ts'),
  'create configmap': () => import('./create/configmap.ts'),
};

export async function run(argv: string[], io: ProgramIo): Promise<number | undefined> {
  const own = ownCommand(argv);
  const command = own && (await commands[own.command]?.());
  if (own === undefined || command === undefined)
    return runKubectl(argv, io).catch((error) => reportFailure(error, io));
  return command.run(own.args, io);
}
