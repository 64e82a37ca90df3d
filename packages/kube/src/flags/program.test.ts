import { describe, expect, expectTypeOf, test } from 'vitest';
import { parseConfig } from './parse-config.ts';
import type { Program, ValidationInput } from './program.ts';

describe('a program checks its flags together', () => {
  const flags = {
    config: { type: 'string', short: 'c', required: true, help: 'The config.' },
    version: { type: 'string', env: 'VERSION', help: 'The version.' },
    workers: { type: 'integer', min: 1, default: 4, help: 'How many workers.' },
    timeout: { type: 'duration', default: '10s', help: 'When to give up.' },
    label: { type: 'list', help: 'A label.' },
  } as const;
  const rest = { name: 'COMMAND', help: 'The command to run.' };
  const declared = { name: 'p', summary: 's', flags, rest } as const;

  /** What `validate` receives, whether or not the command line is valid. */
  const received = (argv: string[], env: Record<string, string> = {}) => {
    const inputs: ValidationInput<typeof flags>[] = [];
    const validate = (input: ValidationInput<typeof flags>) => {
      inputs.push(input);
      return ['the last problem'];
    };
    expect(() => parseConfig({ ...declared, validate }, { argv, env })).toThrow('the last problem');
    expect(inputs).toHaveLength(1);
    return inputs[0];
  };

  test('with the values, the keys that were set and the words after --', () => {
    expect(received(['-c=foo', '--label=a', '--', 'nginx'], { VERSION: '1', P_WORKERS: '' })).toEqual({
      flags: { config: 'foo', version: '1', workers: 4, timeoutMs: 10_000, label: ['a'] },
      given: new Set(['config', 'version', 'label']),
      rest: ['nginx'],
    });
  });

  test('also when a value is missing, invalid or set twice', () => {
    const argv = ['--timeout', '--workers=0', '--version=1', '--version=2', '-c'];
    expect(received(argv)).toEqual({
      flags: { label: [] },
      given: new Set(['config', 'version', 'workers', 'timeout']),
      rest: [],
    });
    expect(received([], { P_WORKERS: 'x' })).toEqual({
      flags: { label: [], timeoutMs: 10_000 },
      given: new Set(['workers']),
      rest: [],
    });
  });

  test('and its problems are reported last, with all others', () => {
    const parse = (argv: string[]) =>
      parseConfig(
        {
          ...declared,
          validate({ flags: { workers, timeoutMs, label }, given }) {
            expectTypeOf(workers).toEqualTypeOf<number | undefined>();
            expectTypeOf(timeoutMs).toEqualTypeOf<number | undefined>();
            expectTypeOf(label).toEqualTypeOf<string[] | undefined>();
            expectTypeOf(given.has).parameter(0).toEqualTypeOf<keyof typeof flags>();
            return given.has('version') && given.has('label') ? ['--version excludes --label'] : [];
          },
        },
        { argv, env: {} },
      );
    expect(parse(['-c=foo', '--version=1'])).toMatchObject({ flags: { config: 'foo', version: '1' } });
    expect(() => parse(['--prot', '-c', '--version=', '--label=a'])).toThrow(
      [
        'p: invalid configuration (4 problems):',
        '  unknown flag --prot',
        '  -c requires a value; write a value that starts with a dash as -c=-…',
        '  --version must not be empty',
        '  --version excludes --label',
        'Run `p --help` for a list of all flags.',
      ].join('\n'),
    );
  });

  test('and --help is shown without the check', () => {
    const validate = (): string[] => {
      throw new Error('called');
    };
    expect(parseConfig({ ...declared, validate }, { argv: ['-h'], env: {} }).kind).toBe('help');
  });

  test('in a declaration that is a constant', () => {
    const program = {
      ...declared,
      validate: ({ given }: ValidationInput<typeof flags>) =>
        given.has('version') ? ['--version is not supported'] : [],
    } as const satisfies Program<typeof flags>;
    expect(parseConfig(program, { argv: ['-c=foo'], env: {} })).toMatchObject({ kind: 'run' });
    expect(() => parseConfig(program, { argv: ['-c=foo', '--version=1'], env: {} })).toThrow(
      '--version is not supported',
    );
    const untyped = {
      ...declared,
      validate: ({ given, rest }) => (given.has('version') ? [...rest] : []),
    } as const satisfies Program;
    expect(parseConfig(untyped, { argv: ['-c=foo'], env: {} })).toMatchObject({ kind: 'run' });
  });
});
