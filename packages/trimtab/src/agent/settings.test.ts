import { describe, expect, test } from 'vitest';
import { readSettings, type WorkFlags } from './settings.ts';

const needed: WorkFlags = { configroot: '/config', configmap: ['web'] };
const told: WorkFlags = { ...needed, reloadHttp: 'http://localhost:9090/-/reload' };

/** Reads flags of which all that have a value were given, in the order of the object. */
function read(flags: WorkFlags, command: string[] = []) {
  const given = Object.entries(flags).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    return Array.isArray(value) ? value.map(() => name) : [name];
  });
  return readSettings(flags, command, new Set(given), given);
}

const problemsOf = (flags: WorkFlags, command: string[] = []) => read(flags, command).problems;
const settingsOf = (flags: WorkFlags, command: string[] = []) => {
  const { settings, problems } = read(flags, command);
  expect(problems).toEqual([]);
  return settings;
};
const tellOf = (flags: WorkFlags, command: string[] = []) => settingsOf(flags, command).tell;

describe('the command lines of the document', () => {
  test('Prometheus is told over HTTP', () => {
    expect(
      settingsOf({
        configroot: '/mnt/config',
        configmap: ['production/prometheus'],
        reloadHttp: 'http://localhost:9090/-/reload',
        reloadHttpMethod: 'POST',
      }),
    ).toEqual({
      configRoot: '/mnt/config',
      refs: [{ kind: 'ConfigMap', namespace: 'production', name: 'prometheus' }],
      rules: { paths: new Map(), subfolders: false, nestedKeys: false },
      fileMode: 0o644,
      tell: [{ by: 'http', url: new URL('http://localhost:9090/-/reload'), method: 'POST' }],
      once: false,
    });
  });

  test('PostgreSQL is a child, and is told by SIGHUP', () => {
    const command = ['/usr/lib/postgresql/15/bin/postgres', '-c', 'config_file=/config/postgresql.conf'];
    expect(
      settingsOf({ configroot: '/config', configmap: ['production/postgresql'] }, command),
    ).toMatchObject({
      fileMode: 0o666,
      tell: [{ by: 'signal', signal: 'SIGHUP', to: 'application' }],
      command,
    });
  });
});

describe('configs', () => {
  test('are in the namespace as given, else that of --namespace, else default', () => {
    const namespacesOf = (flags: WorkFlags) =>
      settingsOf({ ...told, ...flags }).refs.map(({ namespace, name }) => `${namespace}/${name}`);
    expect(namespacesOf({ configmap: ['a', 'x/b'] })).toEqual(['default/a', 'x/b']);
    expect(namespacesOf({ configmap: ['a', 'x/b'], namespace: 'y' })).toEqual(['y/a', 'x/b']);
  });

  test('are in the order of the flags, and those of environment variables come first', () => {
    const flags = { ...told, configmap: ['a', 'b'], secret: ['c', 'd'] };
    const namesOf = (...order: string[]) =>
      readSettings(flags, [], new Set(['configmap', 'secret']), order).settings.refs.map(({ name }) => name);
    expect(namesOf('configmap', 'secret', 'configmap', 'secret')).toEqual(['a', 'c', 'b', 'd']);
    expect(namesOf('secret', 'secret', 'configmap', 'configmap')).toEqual(['c', 'd', 'a', 'b']);
    expect(namesOf('configmap', 'configroot', 'configmap')).toEqual(['c', 'd', 'a', 'b']);
    expect(namesOf()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('that are given twice are read once, at their last place', () => {
    const { refs } = settingsOf({ ...told, configmap: ['a', 'b', 'default/a'], secret: ['a'] });
    expect(refs.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'ConfigMap b',
      'ConfigMap a',
      'Secret a',
    ]);
  });

  test.each(['', '/', 'x/', '/a', 'x/y/z', 'A', 'a_b', '-a', 'a-', 'a..b', 'a.-b', '../a', 'a'.repeat(254)])(
    "cannot be called '%s'",
    (name) => {
      expect(problemsOf({ ...told, configmap: [name] })).toEqual([
        `--configmap must be [NAMESPACE/]NAME with lowercase RFC 1123 subdomains, such as production/prometheus, not '${name}'`,
      ]);
      expect(problemsOf({ ...told, secret: [name] })).toEqual([expect.stringContaining('--secret must be')]);
    },
  );

  test.each(['a', 'a.b-c', '0', 'kube-root-ca.crt', 'a'.repeat(253)])("can be called '%s'", (name) => {
    expect(settingsOf({ ...told, configmap: [name] }).refs).toMatchObject([{ name }]);
  });

  test('cannot be in a namespace that is no name, and the flag with the name is not blamed', () => {
    expect(problemsOf({ ...told, configmap: ['a'], secret: ['b'], namespace: 'Production' })).toEqual([
      "--namespace must be a lowercase RFC 1123 label, such as production, not 'Production'. It applies to each --configmap and --secret without a namespace",
    ]);
  });
});

describe('files', () => {
  test('have the paths of the flags', () => {
    const { rules } = settingsOf({
      ...told,
      path: ['site=conf.d/site.conf', 'a=b=c'],
      subfolders: true,
      nestedKeys: true,
    });
    expect(rules).toEqual({
      paths: new Map([
        ['site', 'conf.d/site.conf'],
        ['a', 'b=c'],
      ]),
      subfolders: true,
      nestedKeys: true,
    });
  });

  test.each([
    ['site', "--path must be KEY=PATH, such as site=conf.d/site.conf, not 'site'"],
    ['=a', "--path must be KEY=PATH, such as site=conf.d/site.conf, not '=a'"],
    ['site=', "--path site: the path '' is empty"],
    [
      'site=/etc/passwd',
      "--path site: the path '/etc/passwd' is absolute; paths are relative to --configroot",
    ],
    ['site=../x', "--path site: the path '../x' contains '..'; files are only written below --configroot"],
    ['site=..data', "--path site: the path '..data' begins with '..', which is reserved for the agent"],
  ])('cannot have the path %s', (path, problem) => {
    expect(problemsOf({ ...told, path: [path] })).toEqual([problem]);
  });

  test.each([
    ['0640', 0o640],
    ['640', 0o640],
    ['0444', 0o444],
  ])('have the mode %s', (fileMode, mode) => {
    expect(settingsOf({ ...told, fileMode }).fileMode).toBe(mode);
    expect(settingsOf({ ...needed, fileMode }, ['app']).fileMode).toBe(mode);
  });

  test.each(['', '8', '0648', '1777', '0o640', 'rw-r--r--', '64'])(
    "cannot have the mode '%s'",
    (fileMode) => {
      expect(problemsOf({ ...told, fileMode })).toEqual([
        `--file-mode must be an octal mode such as 0640, not '${fileMode}'`,
      ]);
    },
  );
});

describe('the application is told', () => {
  test('by a request with a method and authorities', () => {
    const flags = { ...told, reloadHttpMethod: 'put', reloadHttpCa: '/ca.crt' };
    expect(tellOf(flags)).toMatchObject([{ by: 'http', method: 'PUT', caFile: '/ca.crt' }]);
  });

  test('by a command with quotes', () => {
    expect(tellOf({ ...needed, reloadExec: "pg_ctl reload -D '/var/lib/my data'" })).toEqual([
      { by: 'exec', words: ['pg_ctl', 'reload', '-D', '/var/lib/my data'] },
    ]);
  });

  test('by a signal to a process or a container', () => {
    expect(tellOf({ ...needed, reloadProcess: 'nginx' })).toEqual([
      { by: 'signal', signal: 'SIGHUP', to: { process: 'nginx' } },
    ]);
    expect(tellOf({ ...needed, reloadContainer: 'web', reloadSignal: 'usr2' })).toEqual([
      { by: 'signal', signal: 'SIGUSR2', to: { container: 'web' } },
    ]);
  });

  test('as a child by HTTP alone when that is given, unless a signal is given as well', () => {
    const http = { by: 'http', method: 'POST', url: new URL('http://localhost:9090/-/reload') };
    expect(tellOf(told, ['app'])).toEqual([http]);
    expect(tellOf({ ...told, reloadSignal: 'SIGUSR1' }, ['app'])).toEqual([
      http,
      { by: 'signal', signal: 'SIGUSR1', to: 'application' },
    ]);
    expect(tellOf({ ...needed, reloadSignal: 'SIGUSR1' }, ['app'])).toEqual([
      { by: 'signal', signal: 'SIGUSR1', to: 'application' },
    ]);
  });

  test('by several ways in the order HTTP, command, signal', () => {
    const flags = { ...told, reloadProcess: 'nginx', reloadExec: 'reload' };
    expect(tellOf(flags).map(({ by }) => by)).toEqual(['http', 'exec', 'signal']);
  });

  test('not with --once', () => {
    expect(tellOf({ ...needed, once: true })).toEqual([]);
    expect(tellOf({ ...told, once: true })).toEqual([]);
  });
});

test('checks and health are read', () => {
  expect(
    settingsOf({
      ...told,
      verifyExec: 'nginx -t -c "/etc/nginx/nginx.conf"',
      verifyHttp: 'https://localhost/ready',
      appHealth: 'http://localhost/healthz',
    }),
  ).toMatchObject({
    verifyExec: ['nginx', '-t', '-c', '/etc/nginx/nginx.conf'],
    verifyHttp: new URL('https://localhost/ready'),
    appHealth: new URL('http://localhost/healthz'),
  });
});

const notTold =
  'the application would not be told about changes: set --reload-http, --reload-process, --reload-container or --reload-exec, append the command of the application after --, or set --once';
const url = (flag: string) => `${flag} must be an http or https URL, such as http://localhost:9090/-/reload`;

describe('a problem of the flags is reported:', () => {
  test.each<[string, WorkFlags, string[], string]>([
    [
      'no root',
      { ...told, configroot: undefined },
      [],
      '--configroot is required: the folder that files are written to',
    ],
    [
      'no config',
      { ...told, configmap: undefined },
      [],
      '--configmap or --secret is required: the configs to write to files',
    ],
    ['no way to tell the application', needed, [], notTold],
    ['a check alone does not tell it', { ...needed, verifyExec: 'nginx -t' }, [], notTold],
    ['a URL that is none', { ...needed, reloadHttp: 'localhost:9090' }, [], url('--reload-http')],
    ['a URL of files', { ...needed, reloadHttp: 'file:///etc' }, [], url('--reload-http')],
    ['a URL of a check', { ...told, verifyHttp: '9090' }, [], url('--verify-http')],
    ['a URL of a health endpoint', { ...told, appHealth: '/healthz' }, [], url('--app-health')],
    [
      'a method that is none',
      { ...told, reloadHttpMethod: 'PO ST' },
      [],
      "--reload-http-method must be an HTTP method, not 'PO ST'",
    ],
    [
      'a method without a URL',
      { ...needed, reloadExec: 'x', reloadHttpMethod: 'PUT' },
      [],
      '--reload-http-method requires --reload-http',
    ],
    [
      'authorities without a URL',
      { ...needed, reloadExec: 'x', reloadHttpCa: '/ca.crt' },
      [],
      '--reload-http-ca requires --reload-http',
    ],
    ['a command without a word', { ...needed, reloadExec: ' ' }, [], '--reload-exec must name a program'],
    ['a command with an empty word', { ...told, verifyExec: "''" }, [], '--verify-exec must name a program'],
    ['an unclosed quote', { ...told, verifyExec: "nginx '-t" }, [], '--verify-exec has an unclosed quote'],
    [
      'a signal without a process',
      { ...told, reloadSignal: 'SIGHUP' },
      [],
      '--reload-signal requires a process: set --reload-process or --reload-container, or append the command of the application after --',
    ],
    [
      'a signal that is none',
      { ...needed, reloadProcess: 'nginx', reloadSignal: 'SIGHOP' },
      [],
      "--reload-signal must be a signal that a program can handle, such as SIGHUP or SIGUSR1, not 'SIGHOP'",
    ],
    [
      'a signal that no program can handle',
      { ...needed, reloadSignal: '9' },
      ['app'],
      "--reload-signal must be a signal that a program can handle, such as SIGHUP or SIGUSR1, not '9'",
    ],
    [
      'a process and a container',
      { ...needed, reloadProcess: 'nginx', reloadContainer: 'web' },
      [],
      '--reload-process and --reload-container exclude each other',
    ],
    [
      'a process of another container and a child',
      { ...needed, reloadProcess: 'nginx' },
      ['nginx'],
      '--reload-process and --reload-container select a process of another container; with a command after --, signals go to that command',
    ],
    [
      'one run and a child',
      { ...needed, once: true },
      ['nginx'],
      '--once runs no application: remove it, or the command after --',
    ],
  ])('%s', (_, flags, command, problem) => {
    expect(problemsOf(flags, command)).toEqual([problem]);
  });

  test('all of them at once', () => {
    const flags: WorkFlags = {
      configmap: ['A', 'b', 'C'],
      path: ['x', 'y=/'],
      fileMode: 'rw',
      reloadHttp: 'x',
      reloadHttpMethod: '1',
      reloadExec: '"',
      verifyHttp: 'x',
      verifyExec: "'",
      appHealth: 'x',
      reloadSignal: 'x',
      reloadProcess: 'nginx',
    };
    const flagsOf = problemsOf(flags).map((problem) => problem.split(' ')[0]);
    expect(flagsOf.sort()).toEqual([
      '--app-health',
      '--configmap',
      '--configmap',
      '--configroot',
      '--file-mode',
      '--path',
      '--path',
      '--reload-exec',
      '--reload-http',
      '--reload-http-method',
      '--reload-signal',
      '--verify-exec',
      '--verify-http',
    ]);
  });

  test('once, although the value of a flag was already reported by the parser', () => {
    const given = new Set(['configroot', 'configmap', 'reloadHttp']);
    expect(readSettings({}, [], given).problems).toEqual([]);
  });

  test('without flags, what is required', () => {
    expect(problemsOf({})).toEqual([
      expect.stringContaining('--configroot is required'),
      expect.stringContaining('--configmap or --secret is required'),
      expect.stringContaining('the application would not be told about changes'),
    ]);
  });
});
