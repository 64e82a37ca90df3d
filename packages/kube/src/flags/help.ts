import { environmentName, type Flag, flagName } from './flags.ts';
import type { Program } from './program.ts';

/** Returns the text of `--help`. */
export function helpText(program: Program): string {
  const positionals = Object.entries(program.positionals ?? {});
  const { rest } = program;
  const described: [string, string][] = [
    ...positionals.map(([key, { help }]): [string, string] => [argumentName(key), help]),
    ...(rest === undefined ? [] : [[`-- ${rest.name}…`, rest.help] satisfies [string, string]]),
  ];
  const flags = Object.entries(program.flags)
    .filter(([, { hidden }]) => hidden !== true)
    .map(([key, flag]): [string, string] => [
      flagUsage(key, flag),
      [flag.help, notes(program, key, flag)].filter((part) => part !== '').join(' '),
    ]);
  const examples = (program.examples ?? []).flatMap(({ does, command }) => [
    `  # ${does}`,
    `  ${command}`,
    '',
  ]);
  return [
    `Usage: ${usageLine(program)}`,
    '',
    program.summary,
    '',
    ...section('Arguments', described),
    ...section('Flags', [...flags, ['-h, --help', 'Show this text.']]),
    ...(examples.length > 0 ? ['Examples:', ...examples] : []),
  ].join('\n');
}

/** `trimtab pin [flags] WORKLOAD`. */
export function usageLine({ name, positionals = {}, rest }: Program): string {
  const words = Object.entries(positionals).map(([key, { required, many }]) =>
    optional(`${argumentName(key)}${many ? '…' : ''}`, required),
  );
  const after = rest === undefined ? [] : [optional(`-- ${rest.name}…`, rest.required)];
  return [name, '[flags]', ...words, ...after].join(' ');
}

export function argumentName(key: string): string {
  return flagName(key).toUpperCase();
}

function optional(word: string, required: true | undefined): string {
  return required ? word : `[${word}]`;
}

function section(title: string, rows: [string, string][]): string[] {
  if (rows.length === 0) return [];
  const width = Math.min(34, Math.max(...rows.map(([left]) => left.length)));
  const lines = rows.map(([left, right]) =>
    left.length > width ? `  ${left}\n  ${' '.repeat(width)}  ${right}` : `  ${left.padEnd(width)}  ${right}`,
  );
  return [`${title}:`, ...lines, ''];
}

/** `-n, --namespace NAME`, indented where the flag has no letter. */
export function flagUsage(key: string, flag: Flag): string {
  const short = flag.short === undefined ? '    ' : `-${flag.short}, `;
  const name = flagName(key);
  if (flag.type === 'boolean') return `${short}--${flag.default === true ? '[no-]' : ''}${name}`;
  return `${short}--${name} ${placeholder(flag)}`;
}

function placeholder(flag: Exclude<Flag, { type: 'boolean' }>): string {
  switch (flag.type) {
    case 'string':
      return flag.placeholder ?? 'TEXT';
    case 'list':
      return `${flag.placeholder ?? 'TEXT'}…`;
    case 'choice':
      return flag.choices.join('|');
    case 'integer':
      return 'NUMBER';
    default:
      return flag.type.toUpperCase();
  }
}

function notes(program: Program, key: string, flag: Flag): string {
  const variable = environmentName(program, key, flag);
  const standard = 'default' in flag ? flag.default : undefined;
  // The default of a secret flag may be a secret, so it is not shown.
  const showDefault = standard !== undefined && standard !== false && !('secret' in flag && flag.secret);
  const parts = [
    flag.required ? 'required' : '',
    showDefault ? `default ${standard}` : '',
    variable === undefined ? '' : `env ${variable}`,
  ].filter((part) => part !== '');
  return parts.length > 0 ? `(${parts.join(', ')})` : '';
}
