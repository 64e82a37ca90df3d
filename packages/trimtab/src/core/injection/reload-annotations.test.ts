import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { annotations } from '../../api/names.ts';
import { parseReloadAnnotations } from './reload-annotations.ts';

const containers = ['app', 'proxy'];
const parse = (all?: Record<string, string>) => parseReloadAnnotations(all, containers);
const reload = (text: string) => {
  const { settings, problems } = parse({ [annotations.reload]: text });
  return problems.length > 0 ? problems : settings.reload;
};
const verify = (text: string) => {
  const { settings, problems } = parse({ [annotations.verify]: text });
  return problems.length > 0 ? problems : settings.verify;
};

test('without annotations: SIGUSR1, port 9001, nothing to verify', () => {
  expect(parse()).toEqual({
    settings: {
      restart: 'recycle',
      port: 9001,
      reload: { all: { by: 'signal', signal: 'SIGUSR1' } },
      verify: { each: [] },
      tokenEnv: false,
    },
    problems: [],
  });
});

describe('reload for all containers', () => {
  test.each([
    ['signal:SIGUSR2', { by: 'signal', signal: 'SIGUSR2' }],
    ['signal:hup', { by: 'signal', signal: 'SIGHUP' }],
    [' signal: WINCH ', { by: 'signal', signal: 'SIGWINCH' }],
    [
      'http:POST http://localhost:9090/-/reload',
      { by: 'http', method: 'POST', url: 'http://localhost:9090/-/reload' },
    ],
    ['http:http://127.0.0.1/reload', { by: 'http', method: 'POST', url: 'http://127.0.0.1/reload' }],
    [
      'http:get https://[::1]:1/a,b=c?d=e,f',
      { by: 'http', method: 'GET', url: 'https://[::1]:1/a,b=c?d=e,f' },
    ],
    ['webhook:http://hooks.default.svc/x', { by: 'webhook', url: 'http://hooks.default.svc/x' }],
    ['pull', { by: 'pull' }],
  ])('%s', (text, all) => {
    expect(reload(text)).toEqual({ all });
  });

  test.each([
    ['', 'signal:SIGUSR1, http:POST'],
    ['SIGUSR1', 'signal:SIGUSR1, http:POST'],
    ['pull:now', 'signal:SIGUSR1, http:POST'],
    ['exec:nginx -s reload', 'signal:SIGUSR1, http:POST'],
    ['signal:SIGKILL', 'such as signal:SIGUSR1'],
    ['signal:stop', 'such as signal:SIGUSR1'],
    ['signal:10', 'such as signal:SIGUSR1'],
    ['signal:', 'such as signal:SIGUSR1'],
    ['http://localhost:9090/-/reload', 'such as http:POST http://localhost:9090/-/reload'],
    ['http:CONNECT http://localhost/', 'such as http:POST http://localhost:9090/-/reload'],
    ['http:POST ftp://localhost/', 'such as http:POST http://localhost:9090/-/reload'],
    ['http:POST http://localhost:99999/', 'such as http:POST http://localhost:9090/-/reload'],
    ['http:http://me:secret@localhost/', 'without credentials'],
    ['webhook:localhost:8080', 'such as webhook:http://localhost:8080/config-changed'],
  ])('%s is not valid, and the message shows a good value', (text, good) => {
    expect(reload(text)).toEqual([expect.stringContaining(good)]);
    expect(reload(text)).toEqual([
      expect.stringContaining(
        `Annotation trimtab.dev/reload has the value "${text}", which is not valid: must be `,
      ),
    ]);
  });
});

describe('reload per container', () => {
  test('has one entry for each', () => {
    expect(reload('app=signal:SIGUSR2,proxy=http:POST http://localhost:9090/-/reload')).toEqual({
      each: [
        { container: 'app', value: { by: 'signal', signal: 'SIGUSR2' } },
        { container: 'proxy', value: { by: 'http', method: 'POST', url: 'http://localhost:9090/-/reload' } },
      ],
    });
  });

  test('commas and equals signs in URLs do not begin an entry', () => {
    expect(reload('app=http:http://localhost/?a=1,b=2,c , proxy = webhook:http://localhost/x,y=pul')).toEqual(
      {
        each: [
          { container: 'app', value: { by: 'http', method: 'POST', url: 'http://localhost/?a=1,b=2,c' } },
          { container: 'proxy', value: { by: 'webhook', url: 'http://localhost/x,y=pul' } },
        ],
      },
    );
  });

  test('a container that the pod does not have is named, also behind a URL', () => {
    expect(reload('app=http:http://localhost/,prxy=pull')).toEqual([
      'Annotation trimtab.dev/reload names container "prxy", which is not in the pod or ends before the application starts: must be one of "app", "proxy"',
    ]);
  });

  test('a container that is named twice is a problem', () => {
    expect(reload('app=pull,app=signal:HUP')).toEqual([
      'Annotation trimtab.dev/reload names container "app" twice: name it once',
    ]);
  });

  test('an annotation of the largest size is read in linear time, with the first of its problems', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `container-${index}`);
    const problemsOf = (entries: string[]) =>
      parseReloadAnnotations({ [annotations.reload]: entries.join(',') }, many).problems;
    // Each would take minutes, or gigabytes for messages that list the containers of the pod.
    expect(problemsOf(Array.from({ length: 25_000 }, (_, index) => `x${index}=pull`))).toHaveLength(10);
    expect(problemsOf(Array(20_000).fill('container-0=pull'))).toHaveLength(10);
    expect(problemsOf(Array(12_000).fill('container-0=signal:no'))).toHaveLength(10);
    expect(problemsOf(many.map((name) => `${name}=pull`))).toEqual([]);
    expect(problemsOf([...many, 'container-0', 'x'].map((name) => `${name}=pull`))).toEqual([
      expect.stringContaining('names container "container-0" twice'),
      expect.stringContaining('names container "x", which is not in the pod'),
    ]);
  });

  test('an entry that is not valid is reported with its container', () => {
    expect(reload('app=signal:KILL,proxy=exec:x')).toEqual([
      expect.stringContaining('has the value "signal:KILL" for container "app", which is not valid'),
      expect.stringContaining('has the value "exec:x" for container "proxy", which is not valid'),
    ]);
  });
});

describe('verify', () => {
  test('has GET as its default method', () => {
    expect(verify('http:http://localhost:8080/healthz')).toEqual({
      all: { method: 'GET', url: 'http://localhost:8080/healthz' },
    });
    expect(verify('app=http:HEAD https://localhost/')).toEqual({
      each: [{ container: 'app', value: { method: 'HEAD', url: 'https://localhost/' } }],
    });
  });

  test.each(['signal:HUP', 'http://localhost:8080/healthz', ''])('"%s" is not valid', (text) => {
    expect(verify(text)).toEqual([expect.stringContaining('such as http:GET http://localhost:8080/healthz')]);
  });
});

test('all problems are reported at once', () => {
  const { problems } = parse({
    [annotations.restart]: 'no',
    [annotations.configPort]: '65536',
    [annotations.reload]: 'restart',
    [annotations.verify]: 'yes',
    [annotations.tokenEnv]: '1',
  });
  expect(problems).toEqual([
    expect.stringContaining('trimtab.dev/restart'),
    expect.stringContaining('trimtab.dev/reload'),
    expect.stringContaining('trimtab.dev/verify'),
    'Annotation trimtab.dev/config-port has the value "65536", which is not valid: must be a port from 1 to 65535, such as "9002"',
    'Annotation trimtab.dev/token-env has the value "1", which is not valid: must be "true" or "false"',
  ]);
});

test.each(['0', '-1', '9001.5', '0x1', '1e3', ''])('"%s" is not a port', (text) => {
  expect(parse({ [annotations.configPort]: text }).problems).toHaveLength(1);
});

test('any text is either valid or a problem', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      const text = `app=${one},proxy=${other}`;
      const { settings, problems } = parse({ [annotations.reload]: text, [annotations.verify]: one });
      const each = 'each' in settings.reload ? settings.reload.each : [];
      expect(problems.length > 0 || each.length >= 1).toBe(true);
    }),
  );
});
