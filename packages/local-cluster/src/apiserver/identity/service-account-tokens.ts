import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomUUID,
  sign,
  verify,
} from 'node:crypto';

/** Issuer of tokens, and audience of the tokens for this server. */
export const issuer = 'https://kubernetes.default.svc.cluster.local';

export interface Reference {
  name: string;
  uid?: string;
}

export interface Claims {
  aud: string[];
  exp: number;
  iat: number;
  iss: string;
  jti: string;
  'kubernetes.io': {
    namespace: string;
    node?: Reference;
    pod?: Reference;
    secret?: Reference;
    serviceaccount: Reference;
  };
  nbf: number;
  sub: string;
}

/** Issues and verifies service account tokens: JWTs that the server signs with its key (ES256). */
export class TokenSigner {
  readonly #key: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #header: string;

  /** `key` is the PEM of an EC key on P-256. */
  constructor(key: string) {
    this.#key = createPrivateKey(key);
    this.#publicKey = createPublicKey(this.#key);
    const der = this.#publicKey.export({ type: 'spki', format: 'der' });
    const kid = createHash('sha256').update(der).digest('base64url');
    this.#header = encoded({ alg: 'ES256', kid });
  }

  issue(
    bound: Claims['kubernetes.io'],
    options: { audiences: string[]; expirationSeconds: number; now: number },
  ): string {
    const iat = Math.floor(options.now / 1000);
    const claims: Claims = {
      aud: options.audiences,
      exp: iat + options.expirationSeconds,
      iat,
      iss: issuer,
      jti: randomUUID(),
      'kubernetes.io': bound,
      nbf: iat,
      sub: `system:serviceaccount:${bound.namespace}:${bound.serviceaccount.name}`,
    };
    const text = `${this.#header}.${encoded(claims)}`;
    const signature = sign('sha256', Buffer.from(text), { key: this.#key, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  }

  /** Returns the unchecked claims of a token that this key signed; undefined for any other token. */
  read(token: string): Claims | undefined {
    const [header = '', body = '', signature = '', ...more] = token.split('.');
    // The header must match as well: otherwise a client could choose another signature algorithm.
    if (more.length > 0 || header !== this.#header) return undefined;
    const key = { key: this.#publicKey, dsaEncoding: 'ieee-p1363' as const };
    const isOurs = verify(
      'sha256',
      Buffer.from(`${header}.${body}`),
      key,
      Buffer.from(signature, 'base64url'),
    );
    return isOurs ? (JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Claims) : undefined;
  }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
