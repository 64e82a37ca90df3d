import { createSecureContext } from 'node:tls';
import type { ClusterAccess, TlsSettings } from '../access.ts';
import { systemClock } from '../clock.ts';
import type { CredentialSource } from './credential-source.ts';
import { impersonationHeaders } from './impersonation.ts';
import { type Cluster, type Context, clusterOf, contextOf, type User, userOf } from './kubeconfig-entries.ts';
import { isRecord, type Kubeconfig, type NamedEntry, readKubeconfig, unusable } from './kubeconfig-file.ts';
import type { KubeconfigSource } from './load-access.ts';
import { RotatingFile } from './rotating-file.ts';
import { credentialSourceOf } from './user-credential.ts';

/** Access as described by one context of a kubeconfig. Certificate files are read for each connection. */
export async function kubeconfigAccess(
  source: KubeconfigSource,
  contextName: string | undefined,
): Promise<ClusterAccess> {
  const config = await readKubeconfig(source);
  const context = chooseContext(config, contextName);
  const cluster = chooseCluster(config, context);
  const { user, body } = chooseUser(config, context);
  const credential = credentialSourceOf(user, body, cluster);
  const impersonation = impersonationHeaders(body, `user '${user.name}' in ${config.origin}`);
  const tls = tlsSource(cluster, user, credential);
  await tls.check();
  return {
    server: cluster.server,
    namespace: context.namespace ?? 'default',
    tls: () => tls.settings(),
    headers: async () => ({ ...(await credential.current()).headers, ...impersonation }),
    invalidate: () => credential.invalidate(),
  };
}

function chooseContext(config: Kubeconfig, asked: string | undefined): Context {
  const name = asked ?? config.currentContext;
  const known = config.contexts.map((entry) => entry.name).join(', ') || 'none';
  if (name === undefined)
    throw unusable(
      `${config.origin} has no current-context. Choose a context with --context; available contexts: ${known}.`,
    );
  return interpreted(config, 'contexts', name, contextOf, `Available contexts: ${known}.`);
}

function chooseCluster(config: Kubeconfig, context: Context): Cluster {
  const why = `Context '${context.name}' refers to it.`;
  const cluster = interpreted(config, 'clusters', context.cluster, clusterOf, why);
  const where = `Cluster '${cluster.name}' in ${config.origin}`;
  if (!/^https?:\/\//.test(cluster.server) || !URL.canParse(cluster.server))
    throw unusable(`${where} has the server '${cluster.server}', which is not an http or https URL.`);
  if (cluster.proxyUrl)
    throw unusable(
      `${where} has a proxy-url, which is not supported. Remove it, and allow direct connections to the API server.`,
    );
  if (cluster.skipTLSVerify && (cluster.caData || cluster.caFile))
    throw unusable(
      `${where} has both insecure-skip-tls-verify and a certificate-authority: remove one of them.`,
    );
  return cluster;
}

function chooseUser(config: Kubeconfig, context: Context): { user: User; body: Record<string, unknown> } {
  if (context.user === undefined) return { user: { name: 'anonymous' }, body: {} };
  const why = `Context '${context.name}' refers to it.`;
  const user = interpreted(config, 'users', context.user, userOf, why);
  const body = config.users.find((entry) => entry.name === context.user)?.['user'];
  return { user, body: isRecord(body) ? body : {} };
}

/** Validates only the entry in use, so an invalid entry of another cluster does not fail the program. */
function interpreted<T>(
  config: Kubeconfig,
  list: 'clusters' | 'users' | 'contexts',
  name: string,
  interpret: (entry: NamedEntry) => T | undefined,
  hint: string,
): T {
  const entry = config[list].find((candidate) => candidate.name === name);
  const what = `${list.slice(0, -1)} '${name}'`;
  if (entry === undefined) throw unusable(`${config.origin} has no ${what}. ${hint}`);
  const result = interpret(entry);
  if (result !== undefined) return result;
  throw unusable(`The ${what} in ${config.origin} is incomplete.`);
}

function tlsSource(cluster: Cluster, user: User, credential: CredentialSource) {
  const ca = material(cluster.caFile, cluster.caData, 'certificate-authority');
  const cert = material(user.certFile, user.certData, 'client-certificate');
  const key = material(user.keyFile, user.keyData, 'client-key');
  const fromKubeconfig = async (): Promise<TlsSettings> => ({
    ...(ca === undefined ? {} : { ca: await ca() }),
    ...(cert === undefined || key === undefined ? {} : { cert: await cert(), key: await key() }),
    ...(cluster.tlsServerName ? { servername: cluster.tlsServerName } : {}),
    ...(cluster.skipTLSVerify ? { rejectUnauthorized: false } : {}),
  });
  return {
    /**
     * Reports a missing or invalid certificate at startup instead of at the first request. Does not run exec plugins.
     */
    async check() {
      const settings = await fromKubeconfig();
      try {
        // createSecureContext ignores a CA that is not PEM; every connection would then fail verification.
        if (settings.ca?.includes('-----BEGIN') === false) throw new RangeError('the CA is not PEM');
        createSecureContext(settings);
      } catch (cause) {
        throw unusable(
          `A certificate or key of cluster '${cluster.name}' or user '${user.name}' is not PEM, or the client certificate does not match the client key.`,
          cause,
        );
      }
    },
    settings: async () => ({ ...(await fromKubeconfig()), ...(await credential.current()).certificate }),
  };
}

/** A file takes precedence over inline data, as in `@kubernetes/client-node`. */
function material(
  file: string | undefined,
  data: string | undefined,
  field: string,
): (() => Promise<Buffer>) | undefined {
  if (!file) return data ? async () => Buffer.from(data, 'base64') : undefined;
  const rotating = new RotatingFile(file, 0, systemClock);
  return () =>
    rotating.read().catch((cause: unknown) => {
      throw unusable(`The ${field} file ${file} of the kubeconfig cannot be read.`, cause);
    });
}
