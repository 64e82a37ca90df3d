import { createSecureContext } from 'node:tls';
import type { TlsSettings } from '../access.ts';
import { systemClock } from '../clock.ts';
import type { ClusterOverrides } from './cluster-overrides.ts';
import type { CredentialSource } from './credential-source.ts';
import type { Cluster, User } from './kubeconfig-entries.ts';
import { RotatingFile } from './rotating-file.ts';
import { unusable } from './unusable.ts';
import type { UserOverrides } from './user-overrides.ts';

export interface TlsSource {
  /**
   * Reports a missing or invalid certificate at startup instead of at the first request. Does not run exec plugins.
   */
  check(): Promise<void>;
  settings(): Promise<TlsSettings>;
}

/** `flags` are for errors only: `cluster` and `user` already have their values. */
export function tlsSource(
  cluster: Cluster,
  user: User,
  credential: CredentialSource,
  flags: ClusterOverrides & UserOverrides,
): TlsSource {
  const { caFile, caData } = cluster;
  const { certFile, certData, keyFile, keyData } = user;
  const ofCluster = `cluster '${cluster.name}'`;
  const ofUser = `user '${user.name}'`;
  const ca = material('certificate-authority', caFile, caData, flags.certificateAuthority, ofCluster);
  const cert = material('client-certificate', certFile, certData, flags.clientCertificate, ofUser);
  const key = material('client-key', keyFile, keyData, flags.clientKey, ofUser);
  const fromEntries = async (): Promise<TlsSettings> => ({
    ...(ca === undefined ? {} : { ca: await ca.read() }),
    ...(cert === undefined || key === undefined ? {} : { cert: await cert.read(), key: await key.read() }),
    ...(cluster.tlsServerName ? { servername: cluster.tlsServerName } : {}),
    ...(cluster.skipTLSVerify ? { rejectUnauthorized: false } : {}),
  });
  return {
    async check() {
      const settings = await fromEntries();
      try {
        // createSecureContext ignores a CA that is not PEM; every connection would then fail verification.
        if (settings.ca?.includes('-----BEGIN') === false) throw new RangeError('the CA is not PEM');
        createSecureContext(settings);
      } catch (cause) {
        const origins = new Set([ca, cert, key].flatMap((part) => part?.origin ?? []));
        throw unusable(
          `A certificate or key of ${[...origins].join(' or ')} is not PEM, or the client certificate does not match the client key.`,
          cause,
        );
      }
    },
    settings: async () => ({ ...(await fromEntries()), ...(await credential.current()).certificate }),
  };
}

interface Material {
  /** The flag or the entry that has the file or the data, for errors. */
  origin: string;
  read(): Promise<Buffer>;
}

/** A file takes precedence over inline data, as in `@kubernetes/client-node`. */
function material(
  field: string,
  file: string | undefined,
  data: string | undefined,
  flag: string | undefined,
  entry: string,
): Material | undefined {
  const origin = flag === undefined ? entry : `--${field}`;
  if (!file) return data ? { origin, read: async () => Buffer.from(data, 'base64') } : undefined;
  const rotating = new RotatingFile(file, 0, systemClock);
  const where =
    flag === undefined ? `The ${field} file ${file} of the kubeconfig` : `The file ${file} of ${origin}`;
  return {
    origin,
    read: () =>
      rotating.read().catch((cause: unknown) => {
        throw unusable(`${where} cannot be read.`, cause);
      }),
  };
}
