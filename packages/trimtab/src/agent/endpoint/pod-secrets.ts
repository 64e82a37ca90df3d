import { randomBytes } from 'node:crypto';
import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import { injected } from '../../api/injected-pod.ts';
import { describeWriteError } from '../files/file-errors.ts';
import { createPodCertificate, fromPem, isUsable, type PodCertificate, toPem } from './pod-certificate.ts';
import { readIfPossible, writeAtomically } from './write-atomically.ts';

export interface PodSecretsOptions {
  /** Only the agent mounts this folder. */
  privateFolder: string;
  /** All containers of the pod mount this folder. */
  publicFolder: string;
  podIps: readonly string[];
  /** The token in the pod's spec (annotation trimtab.dev/token-env). Without it, the agent creates the token. */
  token?: string;
  /** Milliseconds since the epoch. */
  now: number;
  /** Called before and after each change of a file; tests end the process there. */
  onStep?: (step: string) => void;
}

export interface PodSecrets {
  token: string;
  certificate: PodCertificate;
}

/** In the private folder: private key, certificate and authority. */
const certificateFile = 'endpoint.pem';
const createdToken = /^[A-Za-z0-9_-]{43}$/;
/** The characters of a bearer token (RFC 6750). None of them needs quoting in an env file. */
const givenToken = /^[A-Za-z0-9._~+/-]{16,512}={0,2}$/;

/**
 * Returns the pod's token and the certificate of its endpoint. Both are created at the first start of the agent and kept
 * over its restarts, because containers read them when they start. A new IP of the pod needs a new certificate.
 * Throws an OperationalError when a folder cannot be written.
 */
export function openPodSecrets(options: PodSecretsOptions): PodSecrets {
  const { publicFolder } = options;
  const { files } = injected;
  const certificate = keepCertificate(options);
  const token = options.token === undefined ? keepToken(publicFolder) : requireToken(options.token);
  publish(options, files.certificate, certificate.authority);
  publish(options, files.token, token);
  // Since Kubernetes 1.35 the kubelet accepts values in single quotes only (KEP-3721).
  publish(options, files.tokenEnv, `MY_CONFIG_TOKEN='${token}'\n`);
  return { token, certificate };
}

function keepCertificate(options: PodSecretsOptions): PodCertificate {
  const { privateFolder: folder, podIps, now } = options;
  const stored = fromPem(readIfPossible(folder, certificateFile) ?? '');
  if (stored !== undefined && isUsable(stored, podIps, now)) return stored;
  const created = createPodCertificate(podIps, now);
  write(options, { folder, name: certificateFile, text: toPem(created), mode: 0o600 });
  return created;
}

function keepToken(folder: string): string {
  const stored = readIfPossible(folder, injected.files.token);
  return stored !== undefined && createdToken.test(stored) ? stored : randomBytes(32).toString('base64url');
}

function requireToken(token: string): string {
  if (givenToken.test(token)) return token;
  throw new OperationalError(
    errors.ConfigInvalid,
    'MY_CONFIG_TOKEN is not a valid token: it must have 16 to 512 letters, digits or characters of "._~+/-". ' +
      'Remove the annotation trimtab.dev/token-env, and create the pod again.',
  );
}

function publish(options: PodSecretsOptions, name: string, text: string): void {
  const { publicFolder: folder } = options;
  if (readIfPossible(folder, name) === text) return;
  write(options, { folder, name, text, mode: 0o644 });
}

function write({ onStep }: PodSecretsOptions, file: Parameters<typeof writeAtomically>[0]): void {
  try {
    writeAtomically(file, onStep);
  } catch (cause) {
    const problem = describeWriteError(cause, file.folder);
    throw new OperationalError(errors.ServerFailed, `the in-pod endpoint ${problem}`, { cause });
  }
}
