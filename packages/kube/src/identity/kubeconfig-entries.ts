/** An entry of `clusters`, `users` or `contexts`: its name, and a body under `cluster`, `user` or `context`. */
export interface NamedEntry {
  name: string;
  [body: string]: unknown;
}

/** The field names of Cluster and User are those of `@kubernetes/client-node`: auth-provider.ts passes them to it. */
export interface Cluster {
  name: string;
  server: string;
  skipTLSVerify: boolean;
  caData?: string;
  caFile?: string;
  tlsServerName?: string;
  proxyUrl?: string;
}

export interface User {
  name: string;
  certData?: string;
  certFile?: string;
  keyData?: string;
  keyFile?: string;
  token?: string;
  username?: string;
  password?: string;
  authProvider?: Record<string, unknown>;
}

export interface Context {
  name: string;
  cluster?: string;
  user?: string;
  namespace?: string;
}

/** Returns undefined when the entry has no server. */
export function clusterOf({ name, cluster }: NamedEntry): Cluster | undefined {
  const server = isRecord(cluster) ? text(cluster['server']) : undefined;
  if (!isRecord(cluster) || server === undefined) return undefined;
  return {
    name,
    server: server.replace(/\/$/, ''),
    skipTLSVerify: cluster['insecure-skip-tls-verify'] === true,
    ...texts(cluster, {
      caData: 'certificate-authority-data',
      caFile: 'certificate-authority',
      tlsServerName: 'tls-server-name',
      proxyUrl: 'proxy-url',
    }),
  };
}

export function contextOf({ name, context }: NamedEntry): Context {
  if (!isRecord(context)) return { name };
  return { name, ...texts(context, { cluster: 'cluster', user: 'user', namespace: 'namespace' }) };
}

/** A user without a body is anonymous. */
export function userOf({ name, user }: NamedEntry): User {
  if (!isRecord(user)) return { name };
  const authProvider = user['auth-provider'];
  return {
    name,
    ...texts(user, {
      certData: 'client-certificate-data',
      certFile: 'client-certificate',
      keyData: 'client-key-data',
      keyFile: 'client-key',
      token: 'token',
      username: 'username',
      password: 'password',
    }),
    ...(isRecord(authProvider) && { authProvider }),
  };
}

/** Returns the fields that are set and not empty. */
function texts<K extends string>(
  body: Record<string, unknown>,
  names: Record<K, string>,
): Partial<Record<K, string>> {
  const found: Partial<Record<K, string>> = {};
  for (const key of Object.keys(names) as K[]) {
    const value = text(body[names[key]]);
    if (value !== undefined) found[key] = value;
  }
  return found;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** YAML parses an unquoted name or password such as `123` or `true` as a number or boolean. */
export function text(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
