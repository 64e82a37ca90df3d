import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { UserInfo } from '../admission/admission.ts';
import { unauthorized } from '../errors/status-error.ts';
import type { Access } from './access.ts';

/** Identifies the caller of a request; returns undefined to leave the request to the next authenticator. */
export interface Authenticator {
  authenticate(request: IncomingMessage): UserInfo | undefined | Promise<UserInfo | undefined>;
}

/** Returns the caller: anonymous without credentials. An unknown token or certificate is refused with 401. */
export async function authenticate(
  incoming: IncomingMessage,
  authenticators: readonly Authenticator[],
): Promise<UserInfo> {
  for (const authenticator of authenticators) {
    const user = await authenticator.authenticate(incoming);
    if (user !== undefined) return { ...user, groups: [...user.groups, 'system:authenticated'] };
  }
  if (bearerToken(incoming) !== undefined || hasCertificate(incoming)) throw unauthorized();
  return { username: 'system:anonymous', groups: ['system:unauthenticated'] };
}

/** Reads the subject of a certificate that the cluster's authority has signed: CN is the user, each O a group. */
export const clientCertificates: Authenticator = {
  authenticate({ socket }) {
    const found = bySocket.get(socket);
    if (found !== undefined) return found.user;
    const user = certifiedUser(socket as TLSSocket);
    bySocket.set(socket, { user });
    return user;
  },
};

/** Cache by connection: its certificate does not change, and reading one takes longer than most requests. */
const bySocket = new WeakMap<Socket, { user: UserInfo | undefined }>();

function certifiedUser(socket: TLSSocket): UserInfo | undefined {
  if (!socket.authorized || socket.getPeerCertificate === undefined) return undefined;
  const { subject, fingerprint256 = '' } = socket.getPeerCertificate();
  const username = [subject?.CN ?? []].flat()[0];
  if (username === undefined || username === '') return undefined;
  const id = `X509SHA256=${fingerprint256.replaceAll(':', '').toLowerCase()}`;
  const extra = { 'authentication.kubernetes.io/credential-id': [id] };
  return { username, groups: [subject.O ?? []].flat(), extra };
}

/** Also true for a certificate of another authority. */
function hasCertificate({ socket }: IncomingMessage): boolean {
  return Object.keys((socket as TLSSocket).getPeerCertificate?.() ?? {}).length > 0;
}

/** Authenticates one fixed token. */
export function staticToken(token: string, user: UserInfo): Authenticator {
  const expected = digest(token);
  return {
    authenticate(request) {
      const given = bearerToken(request);
      // Digests have equal lengths, and their comparison reveals nothing about how much of the token is right.
      return given !== undefined && timingSafeEqual(digest(given), expected) ? user : undefined;
    },
  };
}

/** Authenticates service account tokens whose audience is this server. */
export function serviceAccountTokens(access: Access, clock: Clock): Authenticator {
  return {
    authenticate(request) {
      const token = bearerToken(request);
      if (token === undefined) return undefined;
      const verdict = access.reviewToken(token, [], clock.now());
      return 'user' in verdict ? verdict.user : undefined;
    },
  };
}

function bearerToken({ headers }: IncomingMessage): string | undefined {
  // As in Kubernetes, text after a second blank is ignored.
  return /^Bearer (\S+)/i.exec((headers.authorization ?? '').trim())?.[1];
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
