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
      "Prints the stored object of a key, with its revisions and its version. Keys have etcd's layout. Works whether or not the API server is running.",
    flags: {
      stateDir: {
        type: 'string',
        default: stateDir,
        placeholder: 'FOLDER',
        help: 'State folder of the local cluster.',
      },
    },
    positionals: {
      key: { help: 'Key of the object, for example /registry/configmaps/default/foo.', required: true },
    },
    examples: [{ does: 'Print a stored ConfigMap', command: `${name} get /registry/configmaps/default/foo` }],
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
  if (stored === undefined)
    throw new OperationalError(errors.ConfigInvalid, `key ${key} does not exist in the store`);
  process.stdout.write(`key: ${stored.key}
create_revision: ${stored.createRevision}
mod_revision: ${stored.revision}
version: ${stored.version}
value: ${stored.value}
`);
  return 0;
}
