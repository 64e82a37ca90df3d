import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import {
  bitString,
  boolean,
  contentOf,
  objectIdentifier,
  octetString,
  readElements,
  sequence,
  setOf,
  tagged,
  time,
  unsignedInteger,
  utf8String,
} from './der.ts';
import { ipAddressBytes } from './ip-address.ts';

/** A certificate and its private key, as PEM. The key is PKCS #8. */
export interface CertificateAndKey {
  certificate: string;
  key: string;
}

export interface AuthorityRequest {
  commonName: string;
  /** Milliseconds since the epoch. */
  now: number;
  validForMs: number;
}

export interface LeafRequest extends AuthorityRequest {
  /** `O` of the subject: the groups in a Kubernetes client certificate. */
  organizations?: readonly string[];
  dnsNames?: readonly string[];
  ipAddresses?: readonly string[];
  usages: readonly ('server' | 'client')[];
}

/** Certificates are backdated, because machines with a slow clock would reject a new one as not yet valid. */
const backdatedMs = 5 * 60_000;

/** Creates a self-signed certificate authority on P-256. Store certificate and key to issue more certificates later. */
export function createAuthority(request: AuthorityRequest): CertificateAndKey {
  const pair = newKeyPair();
  const subject = name(request.commonName, []);
  const keyId = keyIdentifier(pair.publicKey);
  const certificate = signCertificate({
    issuer: subject,
    issuerKey: pair.privateKey,
    subject,
    publicKey: pair.publicKey,
    notBefore: request.now - backdatedMs,
    notAfter: request.now + request.validForMs,
    extensions: [
      // pathLenConstraint 0: the authority signs leaf certificates only, never another authority.
      extension(oid.basicConstraints, sequence(boolean(true), unsignedInteger(Buffer.from([0]))), 'critical'),
      extension(oid.keyUsage, bitString(Buffer.from([usage.certSign | usage.crlSign]), 1), 'critical'),
      extension(oid.subjectKeyId, octetString(keyId)),
      extension(oid.authorityKeyId, sequence(tagged(0, 'primitive', keyId))),
    ],
  });
  return { certificate, key: privateKeyPem(pair.privateKey) };
}

/**
 * Issues a certificate with a new key, signed by an authority of `createAuthority`. The certificate expires no later
 * than the authority, because clients would not trust it after that.
 */
export function issue(authority: CertificateAndKey, request: LeafRequest): CertificateAndKey {
  const issuerCertificate = new X509Certificate(authority.certificate);
  const issuerKey = createPrivateKey(authority.key);
  if (!issuerCertificate.checkPrivateKey(issuerKey)) {
    throw new RangeError('the key of the authority does not match its certificate');
  }
  const alternatives = alternativeNames(request);
  const pair = newKeyPair();
  const certificate = signCertificate({
    issuer: subjectOf(issuerCertificate),
    issuerKey,
    subject: name(request.commonName, request.organizations ?? []),
    publicKey: pair.publicKey,
    notBefore: request.now - backdatedMs,
    notAfter: Math.min(request.now + request.validForMs, Date.parse(issuerCertificate.validTo)),
    extensions: [
      extension(oid.basicConstraints, sequence(), 'critical'),
      extension(oid.keyUsage, bitString(Buffer.from([usage.digitalSignature]), 7), 'critical'),
      extension(oid.extendedKeyUsage, sequence(...request.usages.map((each) => extendedUsage[each]))),
      extension(oid.subjectKeyId, octetString(keyIdentifier(pair.publicKey))),
      extension(
        oid.authorityKeyId,
        sequence(tagged(0, 'primitive', keyIdentifier(issuerCertificate.publicKey))),
      ),
      ...(alternatives.length > 0 ? [extension(oid.subjectAltName, sequence(...alternatives))] : []),
    ],
  });
  return { certificate, key: privateKeyPem(pair.privateKey) };
}

const oid = {
  ecdsaWithSha256: objectIdentifier('1.2.840.10045.4.3.2'),
  commonName: objectIdentifier('2.5.4.3'),
  organization: objectIdentifier('2.5.4.10'),
  subjectKeyId: objectIdentifier('2.5.29.14'),
  keyUsage: objectIdentifier('2.5.29.15'),
  subjectAltName: objectIdentifier('2.5.29.17'),
  basicConstraints: objectIdentifier('2.5.29.19'),
  authorityKeyId: objectIdentifier('2.5.29.35'),
  extendedKeyUsage: objectIdentifier('2.5.29.37'),
};

const extendedUsage = {
  server: objectIdentifier('1.3.6.1.5.5.7.3.1'),
  client: objectIdentifier('1.3.6.1.5.5.7.3.2'),
};

/** Bits of keyUsage, counted from the left as in RFC 5280. */
const usage = { digitalSignature: 0x80, certSign: 0x04, crlSign: 0x02 };

function newKeyPair(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function privateKeyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function publicKeyDer(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

/** RFC 7093, method 1: the first 160 bits of the SHA-256 of the public key's bits (without the unused-bits byte). */
function keyIdentifier(key: KeyObject): Buffer {
  const bits = readElements(contentOf(publicKeyDer(key))).at(1);
  if (bits === undefined) throw new RangeError('the public key has no key bits');
  return createHash('sha256').update(contentOf(bits).subarray(1)).digest().subarray(0, 20);
}

/** One RDN for each attribute, organizations first, as Kubernetes and openssl print them. */
function name(commonName: string, organizations: readonly string[]): Buffer {
  if (commonName === '') throw new RangeError('the common name of a certificate must not be empty');
  const attribute = (type: Buffer, value: string) => setOf(sequence(type, utf8String(value)));
  return sequence(
    ...organizations.map((each) => attribute(oid.organization, each)),
    attribute(oid.commonName, commonName),
  );
}

function alternativeNames(request: LeafRequest): Buffer[] {
  const dns = (request.dnsNames ?? []).map((each) => {
    if (!/^[a-z0-9*._-]+$/i.test(each)) throw new RangeError(`'${each}' is not a valid DNS name`);
    return tagged(2, 'primitive', Buffer.from(each, 'ascii'));
  });
  const ip = (request.ipAddresses ?? []).map((each) => tagged(7, 'primitive', ipAddressBytes(each)));
  return [...dns, ...ip];
}

function extension(id: Buffer, value: Buffer, critical?: 'critical'): Buffer {
  return sequence(id, ...(critical ? [boolean(true)] : []), octetString(value));
}

/** Extracts the DER bytes of the subject, which Node does not expose. The issuer of a leaf must equal them. */
function subjectOf(certificate: X509Certificate): Buffer {
  const [toBeSigned = Buffer.alloc(0)] = readElements(contentOf(certificate.raw));
  // [0] version, serial, signature algorithm, issuer, validity, subject
  const subject = readElements(contentOf(toBeSigned)).at(5);
  if (subject === undefined) throw new RangeError('the certificate of the authority has no subject');
  return subject;
}

interface Unsigned {
  issuer: Buffer;
  issuerKey: KeyObject;
  subject: Buffer;
  publicKey: KeyObject;
  notBefore: number;
  notAfter: number;
  extensions: Buffer[];
}

function signCertificate(unsigned: Unsigned): string {
  const algorithm = sequence(oid.ecdsaWithSha256);
  const toBeSigned = sequence(
    tagged(0, 'constructed', unsignedInteger(Buffer.from([2]))), // v3
    unsignedInteger(serialNumber()),
    algorithm,
    unsigned.issuer,
    sequence(time(unsigned.notBefore), time(unsigned.notAfter)),
    unsigned.subject,
    publicKeyDer(unsigned.publicKey),
    tagged(3, 'constructed', sequence(...unsigned.extensions)),
  );
  const signature = sign('sha256', toBeSigned, { key: unsigned.issuerKey, dsaEncoding: 'der' });
  return pem(sequence(toBeSigned, algorithm, bitString(signature)));
}

/** 16 random bytes. The first is from 0x40 to 0x7f, so the number is positive and has a constant length. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes;
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
