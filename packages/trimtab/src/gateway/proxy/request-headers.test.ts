import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requestHeaders, wantedUpgrade } from './request-headers.ts';

const sent = (raw: string[], identity?: string[]) =>
  requestHeaders({ raw, host: 'api:6443', address: '10.0.0.9', auditId: 'a1', identity, body: 'none' });

const own = ['Host', 'api:6443'];
const from = ['X-Forwarded-For', '10.0.0.9', 'Audit-ID', 'a1'];

describe('a request on its way to the API server', () => {
  test.each<[what: string, raw: string[], passes: string[]]>([
    ['what a client says passes as it is', ['aCcept', 'a', 'Accept', 'b'], ['aCcept', 'a', 'Accept', 'b']],
    ['its token passes', ['Authorization', 'Bearer x'], ['Authorization', 'Bearer x']],
    [
      'so does impersonation, beside the token',
      ['Authorization', 'Bearer x', 'Impersonate-User', 'bob'],
      ['Authorization', 'Bearer x', 'Impersonate-User', 'bob'],
    ],
    ['Host is the server’s', ['Host', 'gateway'], []],
    [
      'nobody is somebody by a front proxy’s headers',
      ['X-Remote-User', 'root', 'x-remote-group', 'system:masters'],
      [],
    ],
    [
      'nor from elsewhere',
      ['X-Forwarded-For', '1.1.1.1', 'Forwarded', 'for=1.1.1.1', 'X-Real-Ip', '1.1.1.1', 'Audit-ID', 'x'],
      [],
    ],
    [
      'a connection’s own headers stay',
      ['Keep-Alive', '5', 'TE', 'trailers', 'Proxy-Authorization', 'x', 'Upgrade', 'h2c'],
      [],
    ],
    [
      'and those that Connection names',
      ['Connection', 'close, X-Mine', 'x-mine', '1', 'X-Other', '2'],
      ['X-Other', '2'],
    ],
    ['100-continue has been answered already', ['Expect', '100-continue'], []],
  ])('%s', (_, raw, passes) => {
    expect(sent(raw)).toEqual([...own, ...passes, ...from]);
  });

  test('with an identity of ours, nothing of the caller’s says who they are', () => {
    const raw = [
      ...[
        'Authorization',
        'Bearer x',
        'Impersonate-User',
        'root',
        'Impersonate-Extra-Scopes',
        'all',
        'Cookie',
        'a=b',
      ],
      ...['Sec-WebSocket-Protocol', 'v5.channel.k8s.io, base64url.bearer.authorization.k8s.io.eA'],
      ...['Sec-WebSocket-Protocol', 'base64url.bearer.authorization.k8s.io.eA'],
    ];
    expect(sent(raw, ['authorization', 'Bearer ours'])).toEqual([
      ...own,
      ...['Sec-WebSocket-Protocol', 'v5.channel.k8s.io'],
      ...from,
      ...['authorization', 'Bearer ours'],
    ]);
  });

  test('whatever a client sends: never a forged header, never who they are beside our identity', () => {
    const name = fc.oneof(
      fc.constantFrom(
        'X-Remote-User',
        'X-REMOTE-Extra-a',
        'Impersonate-Group',
        'authorization',
        'Connection',
        'TE',
        'Transfer-Encoding',
        'Content-Length',
        'x-forwarded-host',
      ),
      fc.stringMatching(/^[A-Za-z-]{1,20}$/),
    );
    const value = fc.oneof(
      fc.constantFrom('X-Remote-User', 'close', 'chunked', 'upgrade, authorization'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value)), fc.boolean(), (pairs, vouched) => {
        const headers = sent(pairs.flat(), vouched ? ['Authorization', 'ours'] : undefined);
        const names = headers.filter((_, index) => index % 2 === 0).map((each) => each.toLowerCase());
        expect(
          names.filter((each) => /^(x-remote-|transfer-encoding|connection|te$|content-length)/.test(each)),
        ).toEqual([]);
        expect(names.filter((each) => each === 'host' || each === 'x-forwarded-for')).toHaveLength(2);
        if (vouched)
          expect(names.filter((each) => /^(authorization|impersonate-)/.test(each))).toEqual([
            'authorization',
          ]);
      }),
    );
  });

  test('says how its body comes', () => {
    const withBody = (body: Parameters<typeof requestHeaders>[0]['body']) =>
      requestHeaders({
        raw: ['Content-Length', '7'],
        host: 'a',
        address: 'b',
        auditId: 'c',
        identity: undefined,
        body,
      }).slice(6);
    expect(withBody('none')).toEqual([]);
    expect(withBody('chunked')).toEqual(['Transfer-Encoding', 'chunked']);
    expect(withBody({ length: 3 })).toEqual(['Content-Length', '3']);
  });
});

test.each([
  ['Upgrade', 'SPDY/3.1', 'SPDY/3.1'],
  ['keep-alive, upgrade', 'websocket', 'websocket'],
  ['keep-alive', 'websocket', undefined],
  ['Upgrade', 'h2c', undefined],
  ['Upgrade', 'websocket, h2c', undefined],
])('Connection: %s, Upgrade: %s becomes %s', (connection, upgrade, wanted) => {
  expect(wantedUpgrade({ connection, upgrade })).toBe(wanted);
});
