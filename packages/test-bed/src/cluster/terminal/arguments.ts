import { parseArgs } from 'node:util';
import type { Level } from '../state/bed-state.ts';
import { BedError } from './bed-error.ts';

/** The parsed command line after `npm run cluster --`. */
export interface Arguments {
  command: string;
  name: string;
  level?: Level;
  nodes?: number;
  json: boolean;
  all: boolean;
  help: boolean;
  /** Positional arguments: the name and folder of an image. */
  operands: string[];
  /** Arguments after `--`. */
  rest: string[];
  image: { base: string; at: string; command: string[]; user?: string };
}

const options = {
  name: { type: 'string', default: 'default' },
  level: { type: 'string' },
  nodes: { type: 'string' },
  output: { type: 'string', short: 'o' },
  all: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  base: { type: 'string', default: 'node' },
  at: { type: 'string', default: '/app' },
  cmd: { type: 'string', multiple: true },
  user: { type: 'string' },
} as const;

/** Throws an error that names the invalid flag. */
export function parseArguments(argv: readonly string[]): Arguments {
  const dashes = argv.indexOf('--');
  const own = dashes < 0 ? argv : argv.slice(0, dashes);
  const { values, positionals } = parse(own);
  const [command = values.help ? 'help' : '', ...operands] = positionals;
  const level = oneOf('--level', values.level, ['1', '2']);
  const nodes = wholeNumber('--nodes', values.nodes);
  const output = oneOf('--output', values.output, ['json', 'text']);
  return {
    command,
    name: values.name,
    ...(level === undefined ? {} : { level: level === '1' ? 1 : 2 }),
    ...(nodes === undefined ? {} : { nodes }),
    json: output === 'json',
    all: values.all,
    help: values.help,
    operands,
    rest: dashes < 0 ? [] : argv.slice(dashes + 1),
    image: {
      base: values.base,
      at: values.at,
      command: values.cmd ?? [],
      ...(values.user === undefined ? {} : { user: values.user }),
    },
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (cause) {
    throw new BedError(
      cause instanceof Error ? cause.message : String(cause),
      ['See: npm run cluster -- --help'],
      {
        cause,
      },
    );
  }
}

function oneOf(flag: string, value: string | undefined, allowed: readonly string[]): string | undefined {
  if (value === undefined || allowed.includes(value)) return value;
  throw new BedError(`${flag} must be ${allowed.join(' or ')}, not '${value}'`);
}

function wholeNumber(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,5}$/.test(value)) return Number(value);
  throw new BedError(`${flag} must be a whole number, not '${value}'`);
}
