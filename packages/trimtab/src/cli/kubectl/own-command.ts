import { splitCommandLine } from '@trimtab/kube/flags/command-line.ts';
import { lookupIn } from '@trimtab/kube/flags/parse-config.ts';
import { clusterFlags } from '../client-command.ts';
import { createFlags } from '../create-config/create-config.ts';
import { isOutputFormat } from '../output/format.ts';

/** The commands that Trimtab runs itself, by the words that select them. */
const ownWords: Record<string, string> = {
  'set owner': 'set owner',
  'set owner-ref': 'set owner',
  'set owner-reference': 'set owner',
  'set volume': 'set volume',
  'create configmap': 'create configmap',
  'create cm': 'create configmap',
};

/** Flags of `create configmap` that kubectl does not have. */
const onlyOurs = new Set(['owner', 'version', 'release']);

/**
 * Returns the command of Trimtab that arguments of kubectl select, with its own arguments; undefined for a command of
 * kubectl. Flags may stand before and between the words. A `create configmap` with flags that Trimtab does not have is
 * kubectl's.
 */
export function ownCommand(argv: readonly string[]): { command: string; args: string[] } | undefined {
  const lookup = lookupIn(clusterFlags);
  const at: number[] = [];
  for (let index = 0; index < argv.length && at.length < 2; index++) {
    const word = argv[index] ?? '';
    if (word === '--') return undefined;
    if (!word.startsWith('-')) at.push(index);
    else {
      const { unknown, withoutValue } = splitCommandLine([word], lookup);
      // The next word may or may not be the value of an unknown flag.
      if (unknown.length > 0) return undefined;
      if (withoutValue.length > 0) index++;
    }
  }
  const words = at.map((index) => argv[index]).join(' ');
  const command = Object.hasOwn(ownWords, words) ? ownWords[words] : undefined;
  const args = argv.filter((_, index) => !at.includes(index));
  if (command === undefined || (command === 'create configmap' && !isOurs(args))) return undefined;
  return { command, args };
}

function isOurs(args: readonly string[]): boolean {
  const { unknown, given } = splitCommandLine(args, lookupIn({ ...createFlags, ...clusterFlags }));
  const isKubectls = unknown.length > 0 || (given.get('output') ?? []).some((text) => !isOutputFormat(text));
  return !isKubectls || [...given.keys()].some((key) => onlyOurs.has(key));
}
