import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperationalError } from '@trimtab/kube/errors.ts';
import { type CertificateAndKey, createAuthority } from '@trimtab/kube/tls/authority.ts';
import { needsRenewal } from '@trimtab/kube/tls/material.ts';
import { storeUnusable } from '../../errors.ts';

const yearMs = 365 * 24 * 3600_000;

/** Secrets of a local cluster, stored next to its database. */
interface ClusterSecrets {
  authority: CertificateAndKey;
  /** The administrator's bearer token. */
  adminToken: string;
  /** PEM of the key that signs service account tokens. */
  tokenKey: string;
}

export interface StateDir {
  database: string;
  kubeconfig: string;
  secrets: ClusterSecrets;
}

/**
 * Opens or creates the state directory of a local cluster. The certificate authority is kept across restarts, so
 * kubeconfigs stay valid. All files are readable by their owner only.
 */
export function openStateDir(folder: string, now: number): StateDir {
  try {
    const pki = join(folder, 'pki');
    mkdirSync(pki, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    return {
      database: join(folder, 'store.db'),
      kubeconfig: join(folder, 'admin.kubeconfig'),
      secrets: {
        authority: authorityIn(pki, now),
        adminToken: tokenIn(join(folder, 'admin.token')),
        tokenKey: tokenKeyIn(join(pki, 'sa.key')),
      },
    };
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    const message = `${folder} cannot be used as state directory (${code}). Set --state-dir to a writable directory.`;
    throw new OperationalError(storeUnusable, message, { cause });
  }
}

function authorityIn(pki: string, now: number): CertificateAndKey {
  const files = { certificate: join(pki, 'ca.crt'), key: join(pki, 'ca.key') };
  if (existsSync(files.certificate) && existsSync(files.key)) {
    const known = {
      certificate: readFileSync(files.certificate, 'utf8'),
      key: readFileSync(files.key, 'utf8'),
    };
    if (!needsRenewal(known.certificate, now)) return known;
  }
  const made = createAuthority({ commonName: 'local-cluster', now, validForMs: 10 * yearMs });
  writePrivate(files.key, made.key);
  writePrivate(files.certificate, made.certificate);
  return made;
}

function tokenKeyIn(file: string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const made = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  writePrivate(file, made);
  return made;
}

function tokenIn(file: string): string {
  if (existsSync(file)) {
    const known = readFileSync(file, 'utf8').trim();
    if (known !== '') return known;
  }
  const made = randomBytes(24).toString('base64url');
  writePrivate(file, `${made}\n`);
  return made;
}

/** Writes a file that only its owner can read, also when the file exists with other permissions. */
export function writePrivate(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
  chmodSync(file, 0o600);
}
