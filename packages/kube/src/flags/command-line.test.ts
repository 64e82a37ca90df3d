import { describe, expect, test } from 'vitest';
import { parseConfig } from './parse-config.ts';

const program = {
  name: 'p',
  summary: 's',
  envPrefix: false,
  flags: {
    output: { type: 'string', short: 'o', help: 'Format.' },
    namespace: { type: 'string', short: 'n', help: 'Namespace.' },
    watch: { type: 'boolean', short: 'w', help: 'Watch.' },
    allNamespaces: { type: 'boolean', short: 'A', help: 'All.' },
    dryRun: {
      type: 'choice',
      choices: ['none', 'client', 'server'],
      default: 'none',
      implied: 'client',
      help: 'Dry run.',
    },
    config: { type: 'string', env: 'P_FILE', help: 'File.' },
  },
  positionals: { first: { help: 'One.' }, others: { help: 'The rest.', many: true } },
} as const;

function parse(argv: string[], env: Record<string, string> = {}) {
  const parsed = parseConfig(program, { argv, env });
  if (parsed.kind === 'help') throw new Error('help');
  return parsed;
}

describe('short flags as kubectl takes them', () => {
  test('a value may be joined to its flag', () => {
    expect(parse(['-oyaml', '-nshop']).flags).toMatchObject({ output: 'yaml', namespace: 'shop' });
    expect(parse(['-o=yaml']).flags.output).toBe('yaml');
    expect(parse(['-ojsonpath={.a}']).flags.output).toBe('jsonpath={.a}');
  });

  test('flags without a value may be joined to each other', () => {
    expect(parse(['-wA']).flags).toMatchObject({ watch: true, allNamespaces: true });
    expect(parse(['-wAo', 'yaml']).flags).toMatchObject({ watch: true, allNamespaces: true, output: 'yaml' });
    expect(parse(['-wojson']).flags).toMatchObject({ watch: true, output: 'json' });
  });

  test('a word with an unknown letter is one unknown flag, of which one letter is shown', () => {
    expect(() => parse(['-wpsecret'])).toThrow('unknown flag -w…');
    expect(() => parse(['-psecret'])).toThrow('unknown flag -p…');
  });

  test('words after -- are left alone', () => {
    expect(parse(['a', '--', '-oyaml']).positionals).toEqual({ first: 'a', others: ['-oyaml'] });
  });
});

describe('a flag with an implied value', () => {
  test('has it without =VALUE, and never takes the next word', () => {
    expect(parse([]).flags.dryRun).toBe('none');
    expect(parse(['--dry-run', 'foo'])).toMatchObject({
      flags: { dryRun: 'client' },
      positionals: { first: 'foo' },
    });
    expect(parse(['--dry-run=server']).flags.dryRun).toBe('server');
    expect(() => parse(['--dry-run=yes'])).toThrow(
      "--dry-run must be one of none, client, server, not 'yes'",
    );
  });
});

describe('positional arguments', () => {
  test('the last one may take all remaining words', () => {
    expect(parse(['a', 'b', 'c']).positionals).toEqual({ first: 'a', others: ['b', 'c'] });
    expect(parse([]).positionals).toEqual({ first: undefined, others: [] });
  });
});

describe('a program without environment variables', () => {
  test('reads only those that a flag names', () => {
    const env = { P_OUTPUT: 'yaml', FALSE_OUTPUT: 'yaml', P_FILE: 'x' };
    expect(parse([], env).flags).toMatchObject({ output: undefined, config: 'x' });
  });
});
