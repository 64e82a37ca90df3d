import { complete } from '@trimtab/kube/flags/complete.ts';
import type { Command, CommandTable } from '@trimtab/kube/flags/run-command.ts';
import { clusterValues } from '../cli/completion/cluster-values.ts';
import { printCompletion } from '../cli/completion/print-completion.ts';

/** The hidden command that completion scripts and kubectl start: its arguments are the words before the cursor. */
export function completeCommand(table: CommandTable): Command {
  return {
    async run(words, io) {
      const completion = await complete(table, words, (request) => clusterValues(request, io.env));
      io.stdout.write(printCompletion(completion));
      return 0;
    },
  };
}
