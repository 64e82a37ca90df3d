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
  [{ tls: false }, '--no-tls goes with a --host of this machine only'],
  [{ tls: false, host: '10.0.0.7' }, 'not with 10.0.0.7'],
  [{ tls: false, host: '::' }, 'not with ::'],
  [{ tls: false, host: '127.0.0.1.example' }, 'not with 127.0.0.1.example'],
  [{ tls: false, host: 'localhost', clientCa: 'ca' }, 'client certificates need TLS'],
  [{ tlsCertificate: 'a' }, 'one of them is missing'],
  [{ tlsKey: 'b' }, 'one of them is missing'],
])('%j is refused with a sentence', (flags, sentence) => {
  expect(() => choose(flags)).toThrow(sentence);
});
