import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLogger, type Logger } from './log.ts';

const password = 'hunter2-must-not-be-seen';
const encoded = Buffer.from(password).toString('base64');

function record(level = 'debug'): {
  log: Logger;
  lines: () => Record<string, unknown>[];
  text: () => string;
} {
  const written: string[] = [];
  const log = createLogger({
    program: 'controller',
    level,
    destination: { write: (line: string) => void written.push(line) },
  });
  return { log, lines: () => written.map((line) => JSON.parse(line)), text: () => written.join('') };
}

function secret() {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'database',
      namespace: 'shop',
      resourceVersion: '42',
      uid: 'a-uid',
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': `{"data":{"password":"${encoded}"}}`,
      },
    },
    type: 'Opaque',
    data: { password: encoded },
    stringData: { password },
  };
}

describe('an operator reads the log', () => {
  test('a line has time, level, program, a constant message and the reference of the object', () => {
    const { log, lines } = record();
    log.info({ object: secret(), versions: 3 }, 'version created');
    const [line] = lines();
    expect(line).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      level: 'info',
      program: 'controller',
      object: { kind: 'Secret', namespace: 'shop', name: 'database', resourceVersion: '42' },
      versions: 3,
      msg: 'version created',
    });
  });

  test('a plain reference and several objects are printed the same way', () => {
    const { log, lines } = record();
    log.info(
      { object: { kind: 'Lease', namespace: 'a', name: 'b', holder: 'x' }, objects: [secret(), 'text'] },
      'two ways',
    );
    expect(lines()[0]).toMatchObject({
      object: { kind: 'Lease', namespace: 'a', name: 'b' },
      objects: [
        { kind: 'Secret', namespace: 'shop', name: 'database', resourceVersion: '42' },
        '[not an object]',
      ],
    });
    expect(lines()[0]?.['object']).not.toHaveProperty('holder');
  });

  test('an error shows type, message, code and cause; the stack only at debug', () => {
    const cause = Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED' });
    const failure = Object.assign(new TypeError('no answer', { cause }), {
      response: { body: password },
      body: secret(),
      status: 409,
      reason: 'Conflict',
    });
    const expected = {
      type: 'TypeError',
      message: 'no answer',
      status: 409,
      reason: 'Conflict',
      cause: { type: 'Error', message: 'connect refused', code: 'ECONNREFUSED' },
    };
    const info = record('info');
    info.log.error({ err: failure }, 'cannot reach the server');
    expect(info.lines()[0]?.['err']).toEqual(expected);

    const debug = record('debug');
    debug.log.error(failure, 'cannot reach the server');
    expect(debug.lines()[0]?.['err']).toMatchObject({ ...expected, stack: expect.any(String) });
    expect(info.text() + debug.text()).not.toContain(password);
  });

  test('a child logger keeps the rules for its own fields', () => {
    const { log, lines, text } = record();
    const child = log.child({ object: secret(), deep: { token: password } }).child({ data: { password } });
    child.setBindings({ secret: secret() });
    child.info({ round: 1 }, 'again');
    expect(text()).not.toContain(password);
    expect(text()).not.toContain(encoded);
    expect(lines()[0]).toMatchObject({ object: { name: 'database' }, round: 1, secret: { kind: 'Secret' } });
  });

  test('harmless fields are left as they are', () => {
    const { log, lines } = record();
    const fields = { key: 'shop/foo', count: 0, ok: false, none: null, list: [1, 'a'], at: { port: 9443 } };
    log.warn(
      { ...fields, when: new Date(0), url: new URL('https://me:pw@host/path?token=x'), big: 1n },
      'ok',
    );
    expect(lines()[0]).toMatchObject({
      ...fields,
      when: '1970-01-01T00:00:00.000Z',
      url: 'https://host/path',
      big: '1',
    });
  });

  test('long lists are cut and cycles end', () => {
    const { log, lines } = record();
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    log.info({ list: Array.from({ length: 25 }, (_, i) => i), cycle }, 'much');
    expect(lines()[0]?.['list']).toHaveLength(21);
    expect(lines()[0]?.['list']).toContain('[5 more]');
  });
});

describe("a Secret's value never reaches the log", () => {
  const shapes: Record<string, (log: Logger) => void> = {
    'as the fields themselves': (log) => log.info(secret(), 'x'),
    'without a message': (log) => log.info(secret()),
    'under any key': (log) => log.info({ anything: secret() }, 'x'),
    'in a list': (log) => log.info({ kind: 'SecretList', metadata: {}, items: [secret()] }, 'x'),
    'in a list without metadata': (log) => log.info({ items: [secret()] }, 'x'),
    'in a watch event': (log) => log.info({ event: { type: 'ADDED', object: secret() } }, 'x'),
    'its data alone': (log) => log.info({ data: secret().data }, 'x'),
    'its data, two levels deep': (log) => log.info({ a: { b: { stringData: { password } } } }, 'x'),
    'as an argument of the message': (log) => log.info('%o %s', secret(), password),
    'as an argument beside fields': (log) => log.info({ a: 1 }, 'x %j', secret()),
    'as JSON text under body': (log) => log.info({ body: JSON.stringify(secret()) }, 'x'),
    'as JSON text under object': (log) => log.info({ object: JSON.stringify(secret()) }, 'x'),
    'in a map': (log) => log.info({ cache: new Map([['a', secret()]]), all: new Set([password]) }, 'x'),
    'as bytes': (log) => log.info({ file: Buffer.from(password) }, 'x'),
    'in a JSON patch': (log) =>
      log.info({ patch: [{ op: 'add', path: '/data/password', value: encoded }] }, 'x'),
    'in headers': (log) =>
      log.info({ headers: { Authorization: `Bearer ${password}`, 'Set-Cookie': password } }, 'x'),
    'in raw headers': (log) => log.info({ raw: ['authorization', `Bearer ${password}`] }, 'x'),
    'in a request': (log) => {
      const request = new IncomingMessage(new Socket());
      request.method = 'GET';
      request.headers.authorization = `Basic ${password}`;
      log.info(request, 'x');
      log.info({ request }, 'x');
    },
    'thrown, with a body': (log) =>
      log.error(Object.assign(new Error('no'), { response: secret(), data: password }), 'x'),
    'thrown, not as an error': (log) => log.error({ err: secret() }, 'x'),
    'as a cause': (log) => log.error({ err: new Error('no', { cause: secret() }) }, 'x'),
    'as one of several errors': (log) => log.error({ err: new AggregateError([secret()], 'no') }, 'x'),
    'as an error under another key': (log) =>
      log.error({ failure: Object.assign(new Error('no'), { body: password }) }, 'x'),
    'in the message of an error': (log) =>
      log.error({ err: new Error(`sent Bearer ${password} to https://me:${password}@host/`) }, 'x'),
    'as a key': (log) =>
      log.info({ tls: { key: `-----BEGIN PRIVATE KEY-----\n${password}\n-----END PRIVATE KEY-----` } }, 'x'),
    'as an annotation': (log) => log.info({ annotations: secret().metadata.annotations }, 'x'),
    'under other names': (log) =>
      log.info({ client_secret: password, accessToken: password, nested: { 'api-key': password } }, 'x'),
    'of a child logger': (log) => log.child({ of: secret(), password }).info('x'),
    'of a child logger with options': (log) => log.child(secret(), { level: 'debug' }).info('x'),
  };

  test.each(Object.entries(shapes))('%s', (_, write) => {
    const { log, text } = record('trace');
    write(log);
    expect(text()).not.toBe('');
    expect(text()).not.toContain(password);
    expect(text()).not.toContain(encoded);
    expect(text()).not.toContain('last-applied-configuration":"{');
  });

  test('however it is wrapped', () => {
    const key = fc.constantFrom('a', 'object', 'objects', 'err', 'items', 'event', 'data', 'cause', 'value');
    const { shape } = fc.letrec((tie) => ({
      shape: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom(secret(), [secret()], { data: secret().data }),
        fc.array(tie('shape'), { minLength: 1, maxLength: 3 }),
        fc.dictionary(key, tie('shape'), { minKeys: 1, maxKeys: 3 }),
        tie('shape').map((inner) => Object.assign(new Error('no'), { body: inner, cause: inner })),
      ),
    }));
    fc.assert(
      fc.property(shape, (fields) => {
        const { log, text } = record('trace');
        log.info(fields, 'x');
        log.child({ fields }).info('x');
        expect(text()).not.toContain(password);
        expect(text()).not.toContain(encoded);
      }),
    );
  });
});
