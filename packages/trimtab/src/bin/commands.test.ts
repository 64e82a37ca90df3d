import { parseConfig } from '@trimtab/kube/flags/parse-config.ts';
import type { Program } from '@trimtab/kube/flags/program.ts';
import { type Command, eachCommand, runCommand } from '@trimtab/kube/flags/run-command.ts';
import { splitWords } from '@trimtab/kube/flags/words.ts';
import { describe, expect, test } from 'vitest';
import { trimtabCommands } from './commands.ts';

/** The commands of `trimtab local` have their own table, and its tests. */
const withTable = ['local'];

const commands = [...eachCommand(trimtabCommands)].filter(
  ({ words, entry }) => !entry.hidden && !withTable.includes(words.join(' ')),
);

describe.each(commands.map(({ words, entry }) => [words.join(' '), words, entry] as const))(
  'trimtab %s',
  (_, words, entry) => {
    test('says what it does, in the table and in its help', async () => {
      const { program } = await entry.load();
      expect(entry.does).toMatch(/^[a-z].*[^.]$/s);
      expect(program?.summary).toMatch(/^[A-Z].*\.$/s);
      expect(program?.name).toBe(`trimtab ${words.join(' ')}`);
      for (const [name, { help }] of Object.entries(program?.positionals ?? {}))
        expect(help, name).toMatch(/^[A-Z].*\.$/s);
      for (const [name, { help }] of Object.entries(program?.flags ?? {}))
        expect(help, name).toMatch(/^[A-Z/].*\.$/s);
    });

    test('has at least two examples, and accepts them', async () => {
      const { program } = await entry.load();
      const examples = program?.examples ?? [];
      expect(examples.length).toBeGreaterThanOrEqual(2);
      for (const { does, command } of examples) {
        expect(does).toMatch(/^[A-Z].*[^.]$/s);
        const own = ownCommands(command);
        // A quoted example, such as a line for ~/.bashrc, is not parsed.
        if (own.length === 0) expect(command).toMatch(/'.*\btrimtab\b.*'/);
        for (const line of own) await accept(line);
      }
    });
  },
);

/**
 * The parts of a shell command that start `trimtab`: of a pipeline, of a list and of a substitution. The redirections are
 * left out.
 */
function ownCommands(command: string): string[] {
  const quoted = command.replace(/'[^']*'|"[^"$]*"/g, (text) => text.replace(/[|&;()>\n]/g, hidden));
  return quoted
    .split(/\$\(|<\(|\)|&&|\|\||[|&;\n]/)
    .map((part) => part.replace(/\s*>>?\s.*$/, '').trim())
    .map((part) => part.replace(/^(source|time|exec)\s+/, '').replace(/^([A-Z_]+=\S*\s+)+/, ''))
    .filter((part) => /^(kubectl )?trimtab(\s|$)/.test(part) || part.includes('command -v trimtab'))
    .map((part) => part.replace(/[\uE000-\uE0FF]/g, shown));
}

/** A quoted character is no operator of the shell. */
const hidden = (character: string) => String.fromCharCode(0xe000 + character.charCodeAt(0));
const shown = (character: string) => String.fromCharCode(character.charCodeAt(0) - 0xe000);

/** Runs the command line up to its parser. Throws what the command would print. */
async function accept(line: string): Promise<void> {
  if (line.startsWith('command -v')) return;
  const words = splitWords(line.replace(/^kubectl /, ''));
  if (words === undefined) throw new Error(`not a complete command: ${line}`);
  let accepted: Program | undefined;
  await runCommand(parsing(trimtabCommands), words.slice(1), {
    programName: 'trimtab',
    stdout: { write: () => true },
    stderr: { write: () => true },
    stdin: process.stdin,
    env: {},
    onInterrupt: () => () => {},
  });
  expect(accepted, line).toBeDefined();

  function parsing<T extends Pick<typeof trimtabCommands, 'commands'>>(table: T): T {
    const parsed = Object.entries(table.commands).map(([name, entry]) => {
      if ('table' in entry) return [name, { ...entry, table: parsing(entry.table) }];
      return [name, { ...entry, load: async () => onlyParsing(await entry.load()) }];
    });
    return { ...table, commands: Object.fromEntries(parsed) };
  }

  function onlyParsing({ program }: Command): Command {
    return {
      run(argv) {
        if (program === undefined) throw new Error(`${line}: the command has no declaration`);
        parseConfig(program, { argv, env: {} });
        accepted = program;
        return 0;
      },
    };
  }
}

test('a wrong example would be noticed', async () => {
  await expect(accept('trimtab pin --dryrun deployment/web')).rejects.toThrow('unknown flag --dryrun');
  await expect(accept('trimtab pni deployment/web')).rejects.toThrow("unknown command 'trimtab pni'");
  expect(ownCommands('trimtab manifests | kubectl apply -f -')).toEqual(['trimtab manifests']);
  expect(ownCommands('KUBECONFIG=x trimtab version && kubectl trimtab version')).toEqual([
    'trimtab version',
    'kubectl trimtab version',
  ]);
  expect(ownCommands("trimtab a -o 'x|y' > file; kubectl get pods | trimtab b -f -")).toEqual([
    "trimtab a -o 'x|y'",
    'trimtab b -f -',
  ]);
});
