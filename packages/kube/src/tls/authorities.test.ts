import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type Authorities,
  formatAuthorities,
  parseAuthorities,
  renewedAuthorities,
  servedCertificate,
  trustBundle,
} from './authorities.ts';
import type { CertificateAndKey } from './authority.ts';

const day = 24 * 3_600_000;
const start = Date.parse('2026-01-01T00:00:00Z');
const profile = { commonName: 'trimtab test', authorityLifeMs: 365 * day };
const hosts = ['test-webhook.test-system.svc', '10.0.0.7'];

const pems = (bundle: string) => bundle.split(/(?<=-----END CERTIFICATE-----\n)/).filter((pem) => pem !== '');
/** Cached results: on most days nothing changes, and parsing certificates is slow. */
const known = new Map<string, boolean>();

function trusts(bundle: string, certificate: string): boolean {
  const verified = (pem: string) =>
    new X509Certificate(certificate).verify(new X509Certificate(pem).publicKey);
  const answer = known.get(bundle + certificate) ?? pems(bundle).some(verified);
  known.set(bundle + certificate, answer);
  return answer;
}

test('a certificate is for the names by which API servers reach us, and theirs to check', () => {
  const authorities = renewedAuthorities(undefined, profile, start);
  const { certificate } = servedCertificate({
    served: undefined,
    authorities,
    trusted: '',
    hosts,
    commonName: 'trimtab test',
    now: start,
  });
  const read = new X509Certificate(certificate);
  expect(read.checkHost('test-webhook.test-system.svc')).toBeDefined();
  expect(read.checkIP('10.0.0.7')).toBeDefined();
  expect(trusts(trustBundle(authorities, start), certificate)).toBe(true);
});

describe('two replicas over three years, each looking once a day', () => {
  interface Replica {
    served?: CertificateAndKey;
  }

  /** Contents of the Secret; `bundle` is the trust bundle of the webhook configuration. */
  let stored: Authorities | undefined;
  let bundle = '';

  function look(replica: Replica, now: number): void {
    stored = renewedAuthorities(stored, profile, now);
    const trusted = bundle;
    bundle = trustBundle(stored, now);
    replica.served = servedCertificate({
      served: replica.served,
      authorities: stored,
      trusted,
      hosts,
      commonName: 'trimtab test',
      now,
    });
  }

  test('every certificate that is served is valid and trusted at every moment, and authorities change', () => {
    const replicas: Replica[] = [{}, {}];
    const seen = new Set<string>();
    let mostTrusted = 0;
    for (let now = start; now < start + 3 * 365 * day; now += day) {
      for (const replica of replicas) {
        const trustedUntilNow = bundle;
        look(replica, now);
        for (const { served } of replicas) {
          if (served === undefined) continue;
          expect(trusts(bundle, served.certificate)).toBe(true);
          expect(Date.parse(new X509Certificate(served.certificate).validTo)).toBeGreaterThan(now + day);
          // API servers may not have received the newest bundle yet.
          if (now > start) expect(trusts(trustedUntilNow, served.certificate)).toBe(true);
        }
        mostTrusted = Math.max(mostTrusted, pems(bundle).length);
      }
      seen.add(stored?.current.certificate ?? '');
    }
    expect(seen.size).toBeGreaterThanOrEqual(4);
    expect(mostTrusted).toBe(2);
  });
});

test('an expired authority is not trusted any more', () => {
  const first = renewedAuthorities(undefined, profile, start);
  const second = renewedAuthorities(first, profile, start + 300 * day);
  expect(pems(trustBundle(second, start + 301 * day))).toEqual([
    second.current.certificate,
    first.current.certificate,
  ]);
  expect(pems(trustBundle(second, start + 366 * day))).toEqual([second.current.certificate]);
});

test('a clock that is set back renews nothing', () => {
  const authorities = renewedAuthorities(undefined, profile, start);
  expect(renewedAuthorities(authorities, profile, start - 100 * day)).toBe(authorities);
});

describe('the Secret', () => {
  test('keeps what was put in', () => {
    const first = renewedAuthorities(undefined, profile, start);
    const second = renewedAuthorities(first, profile, start + 300 * day);
    expect(parseAuthorities(formatAuthorities(first))).toEqual(first);
    expect(parseAuthorities(formatAuthorities(second))).toEqual(second);
  });

  test('that somebody damaged counts as empty', () => {
    const good = formatAuthorities(renewedAuthorities(undefined, profile, start));
    const other = formatAuthorities(renewedAuthorities(undefined, profile, start));
    expect(parseAuthorities(undefined)).toBeUndefined();
    expect(parseAuthorities({})).toBeUndefined();
    expect(parseAuthorities({ ...good, 'ca.key': other['ca.key'] ?? '' })).toBeUndefined();
    expect(parseAuthorities({ ...good, 'ca.crt': 'bm8=' })).toBeUndefined();
    expect(parseAuthorities({ ...good, 'previous-ca.crt': 'bm8=' })).toEqual(parseAuthorities(good));
  });
});
