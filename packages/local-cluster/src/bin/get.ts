import { parseConfig } from '@trimtab/kube/flags/parse-config.ts';
import type { ValidationInput } from '@trimtab/kube/flags/program.ts';
import type { Command } from '@trimtab/kube/flags/run-command.ts';
import { createLogger } from '@trimtab/kube/log/log.ts';
import { outputFormats, printKeys } from '../etcdctl/print-keys.ts';
import { readKeys } from '../etcdctl/read-keys.ts';
import type { CommandPlace } from './commands.ts';

const flagsAt = ({ stateDir }: CommandPlace) =>
  ({
    writeOut: {
      type: 'choice',
      short: 'w',
      choices: outputFormats,
      default: 'simple',
      env: false,
      help: 'Output format. json has the keys and values in base64.',
    },
    prefix: { type: 'boolean', env: false, help: 'Print all keys that begin with KEY.' },
    keysOnly: { type: 'boolean', env: false, help: 'Do not print the values.' },
    printValueOnly: {
      type: 'boolean',
      env: false,
      help: 'Print only the values; only with the output format simple.',
    },
    stateDir: {
      type: 'string',
      default: stateDir,
      placeholder: 'FOLDER',
      help: 'State folder of the local cluster.',
    },
  }) as const;

const programAt = (place: CommandPlace) => {
  const flags = flagsAt(place);
  const { name } = place;
  return {
    name: `${name} get`,
    summary:
      "Prints keys of the store as `etcdctl get` does. Keys, revisions and values are those of Kubernetes' etcd: values of built-in kinds are protobuf, and custom resources are JSON. Works whether or not the cluster is running.",
    flags,
    positionals: {
      key: { help: 'Key of the object, for example /registry/configmaps/default/foo.', required: true },
    },
    examples: [
      { does: 'Print a stored ConfigMap', command: `${name} get /registry/configmaps/default/foo -w json` },
      { does: 'Print the keys of all objects', command: `${name} get /registry --prefix --keys-only` },
    ],
    validate: ({ flags: { writeOut, keysOnly, printValueOnly } }: ValidationInput<typeof flags>) => [
      ...(printValueOnly && writeOut !== 'simple' ? ['--print-value-only requires --write-out simple'] : []),
      ...(printValueOnly && keysOnly ? ['--print-value-only and --keys-only exclude each other'] : []),
    ],
  } as const;
};

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
  const { stateDir, writeOut, prefix, keysOnly, printValueOnly } = parsed.flags;
  const log = createLogger({ program: 'local-cluster', level: 'error' });
  const answer = await readKeys(stateDir, { key, prefix }, log);
  process.stdout.write(printKeys(answer, { format: writeOut, keysOnly, valuesOnly: printValueOnly }));
  // As for etcdctl, a key that does not exist is no error; a person learns why there is no output.
  if (answer.items.length === 0)
    process.stderr.write(prefix ? `no key begins with ${key}\n` : `key ${key} does not exist in the store\n`);
  return 0;
}
