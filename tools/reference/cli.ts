import { environmentName, type Flag, type Flags } from '@trimtab/kube/flags/flags.ts';
import { argumentName, flagUsage, usageLine } from '@trimtab/kube/flags/help.ts';
import type { Program } from '@trimtab/kube/flags/program.ts';
import { eachCommand } from '@trimtab/kube/flags/run-command.ts';
import { trimtabCommands } from 'trimtab/bin/commands.ts';
import { clusterFlags } from 'trimtab/cli/client-command.ts';
import { exitCodes } from 'trimtab/cli/failure.ts';

const common: Flags = clusterFlags;

interface ListedCommand {
  words: string[];
  section: string;
  does: string;
  /** Undefined for a program with commands of its own, such as `trimtab local`. */
  program: Program | undefined;
}

const meanings: Record<keyof typeof exitCodes, string> = {
  done: 'The command did what it was asked.',
  failed:
    'The command was refused, or failed. `trimtab diff` ends with this code when there are differences.',
  usage: 'The command line or the kubeconfig is not valid. Nothing was sent to the cluster.',
  rolledBack: 'The version was rolled out and rolled back.',
  timedOut: 'The time of --timeout is over. What was begun goes on in the cluster.',
  interrupted: 'Ctrl-C ended the command. What was begun goes on in the cluster.',
};

/** Programs whose flags have a reference of their own. */
const elsewhere: Readonly<Record<string, string>> = {
  agent: '[the reference of the agent](agent.md)',
  local: '[the guide to the local cluster](../guides/local-cluster.md)',
};

/** All commands of `trimtab`, from their declarations. */
export async function cliReference(): Promise<string> {
  const commands = await listedCommands();
  const sections = [...new Set(commands.map(({ section }) => section))];
  return `# trimtab

Generated from the code by \`npm run generate\`. The commands are those of \`trimtab\` and of \`kubectl trimtab\`.

${sections.map((section) => overview(section, commands)).join('\n\n')}

\`trimtab help COMMAND\` and \`trimtab COMMAND --help\` print the help of a command.

## Objects

TYPE/NAME is written as for kubectl: \`configmap/foo\`, \`cm/foo\`, \`secret/bar\`, \`deployment/web\`, \`sts/db\`, \`ds/logs\`. A bare name
is a ConfigMap where a config is expected.

## Common flags

These flags belong to every command that talks to the cluster, and have the names and meanings of kubectl. They may stand before
or after the command. The only environment variable is KUBECONFIG.

${flagTable({ name: 'trimtab', envPrefix: false }, Object.entries<Flag>(clusterFlags))}

## Output

Without \`-o\`, output is for people and may change. On a terminal, tables are cut to its width. Colours are used on a terminal only,
and not when \`NO_COLOR\` is set or \`TERM\` is \`dumb\`; a colour never tells more than the text. Errors, hints and warnings go to
standard error.

| format | output |
|---|---|
| \`-o json\`, \`-o yaml\` | the object that the command shows; fields are only added |
| \`-o name\` | one line for each object, as TYPE/NAME |
| \`-o wide\` | the table with more columns |
| \`-o jsonpath=TEMPLATE\` | fields of the object, with the templates of kubectl |

Values of Secrets are masked in all formats, unless a command has the flag --show-secrets and it is set.

## Exit codes

| code | meaning |
|---|---|
${Object.entries(exitCodes)
  .map(([name, code]) => `| ${code} | ${meanings[name as keyof typeof exitCodes]} |`)
  .join('\n')}

${commands.map(commandText).join('\n')}`;
}

async function listedCommands(): Promise<ListedCommand[]> {
  const found: ListedCommand[] = [];
  for (const { words, entry } of eachCommand(trimtabCommands)) {
    if (entry.hidden) continue;
    const [first = ''] = words;
    const section = entry.section ?? trimtabCommands.commands[first]?.section ?? 'Commands';
    found.push({ words, section, does: entry.does, program: (await entry.load()).program });
  }
  return found;
}

function overview(section: string, commands: readonly ListedCommand[]): string {
  const rows = commands
    .filter((command) => command.section === section)
    .map(({ words, does }) => `| [\`${words.join(' ')}\`](#trimtab-${words.join('-')}) | ${does} |`);
  return [`**${section}**`, '', '| command | what it does |', '|---|---|', ...rows].join('\n');
}

function commandText({ words, does, program }: ListedCommand): string {
  const title = `## trimtab ${words.join(' ')}\n`;
  const other = elsewhere[words.join(' ')];
  if (program === undefined || other !== undefined)
    return `${title}
${program?.summary ?? `${does.charAt(0).toUpperCase()}${does.slice(1)}.`} See ${other ?? 'its help'}.
`;
  const positionals = Object.entries(program.positionals ?? {});
  const own = Object.entries<Flag>(program.flags).filter(
    ([key, flag]) => !flag.hidden && common[key] !== flag,
  );
  const isCommon = own.length < Object.keys(program.flags).length;
  const parts = [
    `${title}\n${program.summary}\n\n\`\`\`\n${usageLine(program)}\n\`\`\`\n`,
    ...(positionals.length === 0
      ? []
      : [
          `\n| argument | meaning |\n|---|---|\n${positionals.map(([key, { help }]) => `| \`${argumentName(key)}\` | ${cell(help)} |`).join('\n')}\n`,
        ]),
    ...(own.length === 0 ? [] : [`\n${flagTable(program, own)}\n`]),
    ...(isCommon && own.length > 0 ? ['\nThe [common flags](#common-flags) are possible, too.\n'] : []),
    `\n\`\`\`sh\n${(program.examples ?? []).map((example) => `# ${example.does}\n${example.command}`).join('\n\n')}\n\`\`\`\n`,
  ];
  return parts.join('');
}

function flagTable(program: Pick<Program, 'name' | 'envPrefix'>, flags: readonly [string, Flag][]): string {
  const variables = flags.map(([key, flag]) => environmentName(program, key, flag));
  const hasVariables = variables.some((variable) => variable !== undefined);
  const rows = flags.map(([key, flag], index) => {
    const standard = 'default' in flag && flag.default !== undefined ? `\`${flag.default}\`` : '';
    const variable = variables[index] === undefined ? '' : `\`${variables[index]}\``;
    const required = flag.required ? ' Required.' : '';
    const cells = [`\`${flagUsage(key, flag).trim()}\``, `${flag.help}${required}`, standard];
    return `| ${[...cells, ...(hasVariables ? [variable] : [])].map(cell).join(' | ')} |`;
  });
  const titles = ['flag', 'meaning', 'default', ...(hasVariables ? ['variable'] : [])];
  return [`| ${titles.join(' | ')} |`, `|${'---|'.repeat(titles.length)}`, ...rows].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
