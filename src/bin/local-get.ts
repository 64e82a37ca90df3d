import { TrimtabError } from '../api/errors.ts';
import { readKey } from '../local/read-key.ts';
import { parseConfig } from '../platform/config/parse-config.ts';
import { createLogger } from '../platform/log.ts';

const program = {
  name: 'trimtab local get',
  summary:
    "Prints what the store of a local cluster has under a key of etcd's layout: its revisions, its version and its value. The server may run or not.",
  flags: {
    stateDir: {
      type: 'string',
      default: './.trimtab',
      placeholder: 'FOLDER',
      help: 'Where the local cluster keeps its state.',
    },
  },
  positionals: { key: { help: 'Such as /registry/configmaps/default/foo.', required: true } },
  examples: [
    { does: 'See how an object is stored', command: 'trimtab local get /registry/configmaps/default/foo' },
  ],
} as const;

export async function run(argv: string[]): Promise<number> {
  const parsed = parseConfig(program, { argv, env: process.env });
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return 0;
  }
  const { key } = parsed.positionals;
  const log = createLogger({ program: 'trimtab-local', level: 'error' });
  const stored = await readKey(parsed.flags.stateDir, key, log);
  if (stored === undefined) throw new TrimtabError('ConfigInvalid', `there is nothing under ${key}`);
  process.stdout.write(`key: ${stored.key}
create_revision: ${stored.createRevision}
mod_revision: ${stored.revision}
version: ${stored.version}
value: ${stored.value}
`);
  return 0;
}
