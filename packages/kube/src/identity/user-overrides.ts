import type { ClusterOverrides } from './cluster-overrides.ts';
import { text } from './kubeconfig-entries.ts';
import { unusable } from './unusable.ts';

/** Values of kubectl's flags that replace fields of the user. */
export interface UserOverrides {
  token?: string;
  username?: string;
  password?: string;
  /** File with the client certificate. */
  clientCertificate?: string;
  /** File with the private key of the client certificate. */
  clientKey?: string;
  /** User to impersonate. */
  as?: string;
  /** Groups to impersonate. */
  asGroup?: readonly string[];
}

type Body = Record<string, unknown>;

/**
 * Replaces fields of the `user` of a kubeconfig entry as client-go does with its ConfigOverrides. `where` names the
 * entry in errors. impersonation.ts adds `asGroup`.
 */
export function overrideUser(
  user: Body,
  { server, ...flags }: UserOverrides & Pick<ClusterOverrides, 'server'>,
  where: string,
): Body {
  const { token, username, password, clientCertificate, clientKey, as } = flags;
  const credentials = { token, username, password, 'client-certificate': clientCertificate };
  const given = Object.entries({ ...credentials, 'client-key': clientKey }).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag}`],
  );
  const isEncrypted = server === undefined || server.startsWith('https:');
  if (!isEncrypted && given.length > 0)
    throw unusable(
      `${given.join(', ')} cannot be used with the http URL of --server: credentials are sent over https only. Use an https URL.`,
    );
  const result = {
    ...(isEncrypted ? user : withoutCredentials(user)),
    ...(Object.values(credentials).some((value) => value !== undefined) && {
      exec: undefined,
      'auth-provider': undefined,
    }),
    ...(token !== undefined && { token, tokenFile: undefined }),
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(clientCertificate !== undefined && {
      'client-certificate': clientCertificate,
      'client-certificate-data': undefined,
    }),
    ...(clientKey !== undefined && { 'client-key': clientKey, 'client-key-data': undefined }),
    ...(as !== undefined && { as }),
  };
  rejectIncomplete(result, flags);
  rejectTwoCredentials(result, flags, where);
  return result;
}

function rejectIncomplete(user: Body, { clientCertificate, clientKey, password }: UserOverrides): void {
  if (clientCertificate !== undefined && !has(user, 'client-key', 'client-key-data'))
    throw unusable('--client-certificate requires the private key of the certificate: add --client-key.');
  if (clientKey !== undefined && !has(user, 'client-certificate', 'client-certificate-data'))
    throw unusable('--client-key requires the certificate of the key: add --client-certificate.');
  if (password !== undefined && !has(user, 'username'))
    throw unusable('--password requires a username: add --username.');
}

/** A kubeconfig may have a token and a username; the token is then used. A flag must not add the other one. */
function rejectTwoCredentials(user: Body, { token, username, password }: UserOverrides, where: string): void {
  if (!has(user, 'token', 'tokenFile') || !has(user, 'username', 'password')) return;
  const basic = username === undefined ? '--password' : '--username';
  const isBasicGiven = username !== undefined || password !== undefined;
  if (token !== undefined && isBasicGiven)
    throw unusable(`--token and ${basic} exclude each other: remove one of them.`);
  const remedy = 'Remove the flag, or choose another user with --user.';
  if (token !== undefined)
    throw unusable(`--token cannot be combined with the username or password of ${where}. ${remedy}`);
  if (isBasicGiven) throw unusable(`${basic} cannot be combined with the token of ${where}. ${remedy}`);
}

function has(user: Body, ...fields: string[]): boolean {
  return fields.some((field) => text(user[field]) !== undefined);
}

function withoutCredentials(user: Body): Body {
  return Object.fromEntries(Object.entries(user).filter(([field]) => /^as(-|$)/.test(field)));
}
