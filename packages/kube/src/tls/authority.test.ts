import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAuthority, issue, type LeafRequest } from './authority.ts';
import { contentOf, readElements } from './der.ts';

const day = 86_400_000;
const now = Date.now();
const authority = createAuthority({ commonName: 'test-ca', now, validForMs: 3650 * day });
const leaf = (request: Partial<LeafRequest> = {}) =>
  issue(authority, { commonName: 'leaf', usages: ['server'], now, validForMs: day, ...request });
const read = ({ certificate }: { certificate: string }) => new X509Certificate(certificate);

/** The element types of notBefore and notAfter: 0x17 UTCTime, 0x18 GeneralizedTime. */
function timeTags(certificate: X509Certificate): (number | undefined)[] {
  const [toBeSigned = Buffer.alloc(0)] = readElements(contentOf(certificate.raw));
  const validity = readElements(contentOf(toBeSigned)).at(4) ?? Buffer.alloc(0);
  return readElements(contentOf(validity)).map((element) => element[0]);
}

describe('a certificate of our own authority', () => {
  test('names its subject, addresses and usages, and is signed by the authority', () => {
    const issued = leaf({
      commonName: 'system:node:n1',
      organizations: ['system:nodes', 'ürün'],
      dnsNames: ['localhost', '*.shop.svc'],
      ipAddresses: ['127.0.0.1', '::1', '2001:db8::1.2.3.4'],
      usages: ['server', 'client'],
    });
    const certificate = read(issued);
    const issuer = read(authority);
    expect(certificate.subject).toBe('O=system:nodes\nO=ürün\nCN=system:node:n1');
    expect(certificate.issuer).toBe('CN=test-ca');
    expect(certificate.subjectAltName).toBe(
      'DNS:localhost, DNS:*.shop.svc, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:2001:DB8:0:0:0:0:102:304',
    );
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
    expect(certificate.ca).toBe(false);
    expect(certificate.verify(issuer.publicKey)).toBe(true);
    expect(certificate.checkIssued(issuer)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(issued.key))).toBe(true);
    expect(issuer.ca).toBe(true);
    expect(issuer.verify(issuer.publicKey)).toBe(true);
  });

  test('is already valid for a machine whose clock is some minutes behind', () => {
    expect(Date.parse(read(leaf()).validFrom)).toBeLessThanOrEqual(now - 4 * 60_000);
  });

  test('tells times correctly before and after 2050', () => {
    const longLived = createAuthority({ commonName: 'ca', now, validForMs: 60 * 365 * day });
    expect(timeTags(read(longLived))).toEqual([0x17, 0x18]);
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2400, 0) }), (at) => {
        const made = read(createAuthority({ commonName: 'ca', now: at, validForMs: day }));
        expect(Date.parse(made.validTo)).toBe(Math.floor((at + day) / 1000) * 1000);
        expect(Date.parse(made.validFrom)).toBe(Math.floor((at - 5 * 60_000) / 1000) * 1000);
      }),
      { numRuns: 30 },
    );
  });

  test('never outlives the authority', () => {
    expect(read(leaf({ validForMs: 9999 * day })).validTo).toBe(read(authority).validTo);
  });

  test('has a serial number of 16 bytes, positive and its own', () => {
    const serials = Array.from({ length: 20 }, () => read(leaf()).serialNumber);
    for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9A-F]{31}$/);
    expect(new Set(serials).size).toBe(20);
  });

  test('may have a subject of any length', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z:.]{1,300}$/), (commonName) => {
        expect(read(leaf({ commonName })).subject).toBe(`CN=${commonName}`);
      }),
      { numRuns: 20 },
    );
  });

  test('is refused for names that are none', () => {
    expect(() => leaf({ ipAddresses: ['localhost'] })).toThrow("'localhost' is not a valid IP address");
    expect(() => leaf({ ipAddresses: ['fe80::1%eth0'] })).toThrow('is not a valid IP address');
    expect(() => leaf({ dnsNames: ['ürün.example'] })).toThrow('is not a valid DNS name');
    expect(() => leaf({ commonName: '' })).toThrow('common name');
    const stranger = createAuthority({ commonName: 'stranger', now, validForMs: day });
    expect(() => issue({ ...authority, key: stranger.key }, { ...request, now })).toThrow('does not match');
  });

  const request: LeafRequest = { commonName: 'x', usages: ['client'], now, validForMs: day };
});

test('server and client meet over mutual TLS; a client of another authority is turned away', async () => {
  const pair = leaf({ commonName: 'gateway', ipAddresses: ['127.0.0.1'] });
  const server = createServer({
    ...{ cert: pair.certificate, key: pair.key, ca: authority.certificate },
    ...{ requestCert: true, rejectUnauthorized: true },
  });
  server.on('secureConnection', (socket: TLSSocket) =>
    socket.end(`hello ${socket.getPeerCertificate().subject.CN}`),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  // With TLS 1.3 the client completes the handshake before the server verifies its certificate, so a rejected client
  // sees either the end of the stream or an error.
  const meet = (client: { certificate: string; key: string }) =>
    new Promise<string>((resolve) => {
      const socket = connect({
        ...{ port, host: '127.0.0.1', ca: authority.certificate },
        ...{ cert: client.certificate, key: client.key },
      });
      let text = '';
      socket.on('data', (part) => {
        text += part;
      });
      socket.on('close', () => resolve(text));
      socket.on('error', () => {});
    });

  expect(await meet(leaf({ commonName: 'agent', usages: ['client'] }))).toBe('hello agent');
  expect(await meet(leaf({ commonName: 'not a client', usages: ['server'] }))).toBe('');
  const stranger = createAuthority({ commonName: 'test-ca', now, validForMs: day });
  expect(await meet(issue(stranger, { commonName: 'x', usages: ['client'], now, validForMs: day }))).toBe('');
  server.close();
});
