import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import { parseConfig } from '@trimtab/kube/flags/parse-config.ts';
import type { Command } from '@trimtab/kube/flags/run-command.ts';
import { createLogger } from '@trimtab/kube/log/log.ts';
import { readKey } from '../read-key.ts';
import type { CommandPlace } from './commands.ts';

const programAt = ({ name, stateDir }: CommandPlace) =>
  ({
    name: `${name} get`,
    summary:
      "Prints what the store of a local cluster has under a key of etcd's layout: its revisions, its version and its value. The server may run or not.",
    flags: {
      stateDir: {
        type: 'string',
        default: stateDir,
        placeholder: 'FOLDER',
        help: 'Where the local cluster keeps its state.',
      },
    },
    positionals: { key: { help: 'Such as /registry/configmaps/default/foo.', required: true } },
    examples: [
      { does: 'See how an object is stored', command: `${name} get /registry/configmaps/default/foo` },
    ],
  }) as const;

export function getCommand(place: CommandPlace): Command {
  return { run: (argv) => get(place, argv) };
}

async function get(place: CommandPlace, argv: string[]): Promise<number> {
  const parsed = parseConfig(programAt(place), { argv, env: process.env });
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return 0;
  }
  const { key } = parsed.positionals;
  const log = createLogger({ program: 'local-cluster', level: 'error' });
  const stored = await readKey(parsed.flags.stateDir, key, log);
  if (stored === undefined) throw new OperationalError(errors.ConfigInvalid, `there is nothing under ${key}`);
  process.stdout.write(`key: ${stored.key}
create_revision: ${stored.createRevision}
mod_revision: ${stored.revision}
version: ${stored.version}
value: ${stored.value}
`);
  return 0;
}
