import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { OperationalError } from '../errors.ts';
import { parseDuration } from './duration.ts';
import { parseConfig } from './parse-config.ts';
import type { Program } from './program.ts';

const program = {
  name: 'trimtab controller',
  summary: 'Releases configuration.',
  flags: {
    kubeconfig: { type: 'string', env: 'KUBECONFIG', help: 'The kubeconfig.', placeholder: 'FILE' },
    namespace: { type: 'string', short: 'n', default: 'default', help: 'The namespace.' },
    port: { type: 'port', default: 9443, help: 'Where to listen.' },
    resyncInterval: { type: 'duration', default: '10m', min: '1s', help: 'How often to look again.' },
    timeout: { type: 'duration', help: 'When to give up.' },
    logLevel: { type: 'choice', choices: ['debug', 'info'], default: 'info', help: 'How much to log.' },
    leaderElection: { type: 'boolean', default: true, help: 'Whether to elect a leader.' },
    dryRun: { type: 'boolean', env: false, help: 'Change nothing.' },
    workers: { type: 'integer', min: 1, max: 64, default: 4, help: 'How many workers.' },
    path: { type: 'list', help: 'Where keys land.', placeholder: 'KEY=PATH' },
    token: { type: 'string', secret: true, default: 'hunter1', help: 'A token.' },
  },
  positionals: { config: { help: 'The config.', required: true }, version: { help: 'The version.' } },
  rest: { name: 'COMMAND', help: 'The command to run.' },
  examples: [{ does: 'Run it here', command: 'trimtab controller foo --dry-run' }],
} as const satisfies Program;

const run = (argv: string[], env: Record<string, string> = {}) => {
  const parsed = parseConfig(program, { argv, env });
  if (parsed.kind !== 'run') throw new Error('asked for help');
  return parsed;
};

const problems = (argv: string[], env: Record<string, string> = {}): string[] => {
  try {
    run(argv, env);
  } catch (error) {
    expect(error).toBeInstanceOf(OperationalError);
    if (!(error instanceof OperationalError)) throw error;
    expect(error.code).toBe('ConfigInvalid');
    expect(error.exitCode).toBe(2);
    return error.message
      .split('\n')
      .slice(1, -1)
      .map((line) => line.trim());
  }
  throw new Error('nothing was wrong');
};

describe('a program is started', () => {
  test('with nothing but what is required: every default is resolved, units are in the names', () => {
    const { flags, positionals, rest } = run(['foo']);
    expect(flags).toEqual({
      kubeconfig: undefined,
      namespace: 'default',
      port: 9443,
      resyncIntervalMs: 600_000,
      timeoutMs: undefined,
      logLevel: 'info',
      leaderElection: true,
      dryRun: false,
      workers: 4,
      path: [],
      token: 'hunter1',
    });
    expect(positionals).toEqual({ config: 'foo', version: undefined });
    expect(rest).toEqual([]);
    expectTypeOf(flags.kubeconfig).toEqualTypeOf<string | undefined>();
    expectTypeOf(flags.resyncIntervalMs).toEqualTypeOf<number>();
    expectTypeOf(flags.timeoutMs).toEqualTypeOf<number | undefined>();
    expectTypeOf(flags.logLevel).toEqualTypeOf<'debug' | 'info'>();
    expectTypeOf(flags.path).toEqualTypeOf<string[]>();
    expectTypeOf(positionals.config).toEqualTypeOf<string>();
    expectTypeOf(positionals.version).toEqualTypeOf<string | undefined>();
  });

  test('with flags in every spelling, arguments between them, and a command after --', () => {
    const { flags, positionals, rest } = run([
      ...['--port=0', '-n', 'shop', 'foo', '--no-leader-election', '--dry-run', '--timeout', '1m30s'],
      ...['--path=a=b,c', '--path', 'd', '1.0.1', '--kubeconfig=-', '--', 'nginx', '--port', '80', '--'],
    ]);
    expect(flags).toMatchObject({
      ...{ port: 0, namespace: 'shop', leaderElection: false, dryRun: true, timeoutMs: 90_000 },
      ...{ path: ['a=b,c', 'd'], kubeconfig: '-' },
    });
    expect(positionals).toEqual({ config: 'foo', version: '1.0.1' });
    expect(rest).toEqual(['nginx', '--port', '80', '--']);
  });

  test('with an environment; the command line is stronger', () => {
    const env = {
      ...{ KUBECONFIG: '/env', TRIMTAB_PORT: '1', TRIMTAB_LOG_LEVEL: '', TRIMTAB_DRY_RUN: 'true' },
      ...{ TRIMTAB_PATH: 'a=b,c=d', TRIMTAB_LEADER_ELECTION: 'false', TRIMTAB_RESYNC_INTERVAL: '5m' },
    };
    const { flags } = run(['foo', '--port', '2'], env);
    expect(flags).toMatchObject({
      ...{ kubeconfig: '/env', port: 2, logLevel: 'info', dryRun: false, path: ['a=b', 'c=d'] },
      ...{ leaderElection: false, resyncIntervalMs: 300_000 },
    });
  });

  test('in a pod beside a Service called trimtab, whose variables are not for us', () => {
    expect(run(['foo'], { TRIMTAB_PORT: 'tcp://10.96.0.10:443' }).flags.port).toBe(9443);
  });

  test('for its help', () => {
    const parsed = parseConfig(program, { argv: ['--nonsense', '-h'], env: {} });
    expect(parsed.kind === 'help' && parsed.text).toMatchInlineSnapshot(`
      "Usage: trimtab controller [flags] CONFIG [VERSION] [-- COMMAND…]

      Releases configuration.

      Arguments:
        CONFIG       The config.
        VERSION      The version.
        -- COMMAND…  The command to run.

      Flags:
            --kubeconfig FILE           The kubeconfig. (env KUBECONFIG)
        -n, --namespace TEXT            The namespace. (default default, env TRIMTAB_NAMESPACE)
            --port PORT                 Where to listen. (default 9443, env TRIMTAB_PORT)
            --resync-interval DURATION  How often to look again. (default 10m, env TRIMTAB_RESYNC_INTERVAL)
            --timeout DURATION          When to give up. (env TRIMTAB_TIMEOUT)
            --log-level debug|info      How much to log. (default info, env TRIMTAB_LOG_LEVEL)
            --[no-]leader-election      Whether to elect a leader. (default true, env TRIMTAB_LEADER_ELECTION)
            --dry-run                   Change nothing.
            --workers NUMBER            How many workers. (default 4, env TRIMTAB_WORKERS)
            --path KEY=PATH…            Where keys land. (env TRIMTAB_PATH)
            --token TEXT                A token. (env TRIMTAB_TOKEN)
        -h, --help                      Show this text.

      Examples:
        # Run it here
        trimtab controller foo --dry-run
      "
    `);
  });

  test('with the flags of klog, which have one letter or underscores', () => {
    const flags = {
      v: { type: 'integer', short: 'v', default: 0, help: 'Verbosity.' },
      log_dir: { type: 'string', help: 'No effect.', hidden: true },
    } as const;
    const parse = (argv: string[], env = {}) =>
      parseConfig({ name: 'trimtab agent', summary: 's', flags }, { argv, env });
    for (const argv of [['-v', '4'], ['-v=4'], ['--v=4'], ['--v', '4']])
      expect(parse(argv)).toMatchObject({ flags: { v: 4 } });
    for (const argv of [['--log_dir=x'], ['--log_dir', 'x']])
      expect(parse(argv)).toMatchObject({ flags: { log_dir: 'x' } });
    const env = { TRIMTAB_V: '2', TRIMTAB_LOG_DIR: '/var/log' };
    expect(parse([], env)).toMatchObject({ flags: { v: 2, log_dir: '/var/log' } });
  });

  test('with flags of several kinds, whose order is kept', () => {
    const flags = {
      configmap: { type: 'list', help: 'A.' },
      secret: { type: 'list', help: 'B.' },
    } as const;
    const argv = ['--secret=a', '--configmap', 'b', '--secret', 'c'];
    const parsed = parseConfig({ name: 'p', summary: 's', flags }, { argv, env: {} });
    expect(parsed).toMatchObject({ order: ['secret', 'configmap', 'secret'] });
  });

  test('for its help, which omits the hidden flags', () => {
    const flags = {
      logtostderr: { type: 'boolean', help: 'No effect.', hidden: true },
      namespace: { type: 'string', help: 'The namespace.' },
    } as const;
    const parsed = parseConfig({ name: 'p', summary: 's', flags }, { argv: ['-h'], env: {} });
    expect(parsed.kind === 'help' && parsed.text).toMatch(/Flags:\n {6}--namespace TEXT/);
    expect(parsed).not.toMatchObject({ text: expect.stringContaining('logtostderr') });
  });

  test('where -- only ends the flags', () => {
    const parsed = parseConfig(
      { name: 'p', summary: 's', flags: {}, positionals: { a: { help: 'A.' } } },
      { argv: ['--', '--a'], env: {} },
    );
    expect(parsed).toMatchObject({ positionals: { a: '--a' }, rest: [] });
  });
});

describe('a program is started wrongly', () => {
  test('everything that is wrong is told at once', () => {
    const argv = [
      '--prot=1',
      '--resync-interval',
      '10',
      '--log-level=loud',
      '--workers=0',
      '--dry-run=maybe',
    ];
    expect(problems([...argv, '--token'], { KUBECONFIG: '', TRIMTAB_PORT: '99999' })).toEqual([
      'unknown flag --prot; did you mean --port?',
      '--token requires a value; write a value that starts with a dash as --token=-…',
      "TRIMTAB_PORT (for --port) must be a port from 0 to 65535, not '99999'",
      "--resync-interval must be a duration such as 500ms, 10s or 1h30m, not '10'",
      "--log-level must be one of debug, info, not 'loud'",
      "--dry-run must be true or false, not 'maybe'",
      "--workers must be an integer from 1 to 64, not '0'",
      'argument CONFIG is required',
    ]);
  });

  test.each([
    [['foo', '--port', '1', '--port=2'], '--port is set twice; set it once'],
    [['foo', '--dry-run', '--no-dry-run'], '--dry-run is set twice; set it once'],
    [['foo', '-kubeconfig', 'x'], 'unknown flag -kubeconfig; did you mean --kubeconfig?'],
    [['foo', '--no-port'], 'unknown flag --no-port; did you mean --port?'],
    [['foo', '--zzzzzzzz', 'x'], 'unknown flag --zzzzzzzz'],
    [
      ['foo', '--namespace', '--dry-run'],
      '--namespace requires a value; write a value that starts with a dash as --namespace=-…',
    ],
    [['foo', '--namespace='], '--namespace must not be empty'],
    [['foo', '--workers', '1e3'], "--workers must be an integer from 1 to 64, not '1e3'"],
    [['foo', '--workers', '-5'], "--workers must be an integer from 1 to 64, not '-5'"],
    [['foo', '--resync-interval', '5ms'], "--resync-interval must be a duration of at least 1s, not '5ms'"],
    [['foo', '1.0', 'more'], "unexpected argument 'more'"],
    [['foo', '-n=shop', '-abc'], 'unknown flag -a…'],
    [['foo', '-a-b', '--port', '1'], 'unknown flag -a…'],
    [
      ['foo', '--namespace', '--', '--port'],
      '--namespace requires a value; write a value that starts with a dash as --namespace=-…',
    ],
  ])('%j', (argv, problem) => {
    expect(problems(argv)).toEqual([problem]);
  });

  test('a secret is never shown, however it got onto the command line', () => {
    const wrong = [
      ['--token=hunter2', '--token', 'hunter2'],
      ['--tokn', 'hunter2'],
      ['--tokn=hunter2'],
      ['-hunter2'],
      ['-phunter2'],
      ['-t', 'hunter2'],
      ['foo', '1', '--token', 'my', 'hunter2'],
      ['--no-token=hunter2'],
      ['--=hunter2'],
      ['-a-b', '--token=hunter2', '--zzz=hunter2'],
    ];
    for (const argv of wrong) expect(problems(argv).join()).not.toContain('unter2');
    const help = parseConfig(program, { argv: ['--help'], env: {} });
    expect(JSON.stringify(help)).not.toContain('hunter1');
  });

  test('any command line gives a configuration or a ConfigInvalid', () => {
    const word = fc.oneof(
      fc.constantFrom(
        '--',
        '-',
        '--port',
        '-n',
        '--no-dry-run',
        '--path',
        '--token=',
        '--no-',
        '--=',
        'foo',
        '9',
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(word), (argv) => {
        try {
          parseConfig(program, { argv, env: {} });
        } catch (error) {
          expect(error).toBeInstanceOf(OperationalError);
        }
      }),
    );
  });

  test('a declaration that contradicts itself fails the first time it is used', () => {
    const declare = (flags: Program['flags']) => () =>
      parseConfig({ name: 'p', summary: 's', flags }, { argv: [], env: {} });
    expect(declare({ a: { type: 'duration', default: '10', help: '' } })).toThrow(RangeError);
    expect(declare({ help: { type: 'boolean', help: '' } })).toThrow('--help twice');
  });
});

test('a duration has its unit', () => {
  expect(['500ms', '10s', '5m', '1h30m', '1.5h', '2d', '0'].map(parseDuration)).toEqual([
    500, 10_000, 300_000, 5_400_000, 5_400_000, 172_800_000, 0,
  ]);
  for (const text of ['10', '', 's', '-1s', '1 s', '1s2', '1e3s', 'Infinity']) {
    expect(parseDuration(text)).toBeUndefined();
  }
});
