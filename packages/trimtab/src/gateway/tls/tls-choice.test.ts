import { expect, test } from 'vitest';
import { tlsChoice } from './tls-choice.ts';

const plain = { host: '0.0.0.0', tls: true, tlsHost: ['gateway.example'] };
const choose = (flags: Partial<Parameters<typeof tlsChoice>[0]> = {}) =>
  tlsChoice({ ...plain, tlsCertificate: undefined, tlsKey: undefined, clientCa: undefined, ...flags });

test('unless told, the gateway has an authority of its own', () => {
  expect(choose()).toEqual({ from: 'own authority', hosts: ['gateway.example'] });
});

test('a certificate in files is served instead', () => {
  expect(choose({ tlsCertificate: 'a', tlsKey: 'b' })).toEqual({ from: 'files', certificate: 'a', key: 'b' });
});

test.each(['127.0.0.1', '127.1.2.3', 'localhost', '::1'])('plain HTTP is for this machine: %s', (host) => {
  expect(choose({ host, tls: false })).toEqual({ from: 'nowhere' });
});

test.each([
  [{ tls: false }, '--no-tls is not allowed with --host 0.0.0.0'],
  [{ tls: false, host: '10.0.0.7' }, 'with --host 10.0.0.7 because'],
  [{ tls: false, host: '::' }, 'with --host :: because'],
  [{ tls: false, host: '127.0.0.1.example' }, 'with --host 127.0.0.1.example because'],
  [{ tls: false, host: 'localhost', clientCa: 'ca' }, 'client certificates require TLS'],
  [{ tlsCertificate: 'a' }, 'must be set together'],
  [{ tlsKey: 'b' }, 'must be set together'],
])('%j is refused with a sentence', (flags, sentence) => {
  expect(() => choose(flags)).toThrow(sentence);
});
