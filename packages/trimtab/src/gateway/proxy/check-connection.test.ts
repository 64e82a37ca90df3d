import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkConnection } from './check-connection.ts';

const check = (...raw: string[]) => checkConnection(raw);

describe('a header that says who the caller is cannot be lost on the way', () => {
  test.each([
    ...['Impersonate-User', 'impersonate-group', 'IMPERSONATE-EXTRA-scopes', 'authorization', 'Cookie'],
    ...['X-Remote-User', 'X-Forwarded-For', 'Sec-WebSocket-Protocol', 'Host', 'Content-Length'],
    ...['Transfer-Encoding', 'Content-Type', 'If-Match', 'x-mine', '"close"', 'close;impersonate-user'],
  ])('Connection: %s is refused', (name) => {
    const problem = `the Connection header must not name ${JSON.stringify(name.toLowerCase())}`;
    expect(() => check('Connection', name)).toThrow(problem);
    expect(() => check('connection', `keep-alive,, \t${name} ,close`)).toThrow(problem);
    expect(() => check('Connection', 'close', 'CONNECTION', name)).toThrow(problem);
  });

  test.each(['impersonate-user', 'Authorization', 'X-Remote-Group', 'Content-Length'])(
    'Trailer: %s is refused',
    (name) => {
      expect(() => check('Trailer', `X-Checksum, ${name}`)).toThrow('must not be a trailer');
    },
  );

  test.each([
    ...['Impersonate_User', 'X_Remote-User', 'x_forwarded_for', 'TRANSFER_ENCODING'],
    ...['Impersonate_Extra-Tenant', 'Impersonate-Extra_Tenant', 'impersonate_extra-tenant_id'],
  ])('the header %s is refused', (name) => {
    expect(() => check(name, 'a')).toThrow('write its name with hyphens');
  });

  test('the key of Impersonate-Extra may contain underscores', () => {
    expect(() => check('Impersonate-Extra-tenant_id', 'a')).not.toThrow();
  });

  test('whatever a request names, its identity stays or the request is refused', () => {
    const identity = fc.constantFrom('impersonate-user', 'Authorization', 'x-remote-user', 'COOKIE');
    const space = fc.constantFrom('', ' ', '\t', ' \t ');
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z-]{0,9}$/)), identity, space, (others, name, blank) => {
        const value = [...others, `${blank}${name}${blank}`].join(',');
        expect(() => check('Connection', value)).toThrow('the Connection header must not name');
      }),
    );
  });
});

test.each([
  ...['close', 'Keep-Alive', 'Upgrade', 'keep-alive, Upgrade', 'TE, close', 'Upgrade, HTTP2-Settings'],
  ...['Proxy-Connection', '', ' , '],
])('Connection: %s is an ordinary request', (value) => {
  expect(() => check('Connection', value, 'Trailer', 'X-Checksum', 'x_mine', '1')).not.toThrow();
});
