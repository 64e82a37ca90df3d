import type { UserInfo } from '../admission/admission.ts';
import { pod } from '../kinds/core/pod.ts';
import { secret } from '../kinds/core/secret.ts';
import { serviceAccount } from '../kinds/core/service-account.ts';
import type { Kind } from '../kinds/kind.ts';
import { serviceAccountGroups } from '../rbac/attributes.ts';
import type { ObjectStorage } from '../storage/object-storage.ts';
import { type Claims, issuer, type Reference, type TokenSigner } from './service-account-tokens.ts';

export type TokenVerdict = { user: UserInfo; audiences: string[] } | { error: string };

const invalid = 'invalid bearer token';
/** A token stays valid for this long after the deletion of the object that it is bound to. */
const leewayMs = 60_000;

/** Returns the user of a service account token, or why the token is invalid. */
export function reviewToken(
  signer: TokenSigner,
  storage: ObjectStorage,
  token: string,
  wanted: readonly string[],
  now: number,
): TokenVerdict {
  const claims = signer.read(token);
  if (claims === undefined) return { error: invalid };
  const refuse = (why: string) => ({ error: `[${invalid}, ${why}]` });
  const seconds = now / 1000;
  if (claims.iss !== issuer) return { error: invalid };
  if (seconds >= claims.exp) return refuse('service account token has expired');
  if (seconds < claims.nbf) return refuse('service account token is not valid yet');
  const asked = wanted.length === 0 ? [issuer] : wanted;
  const audiences = claims.aud.filter((each) => asked.includes(each));
  if (audiences.length === 0)
    return refuse(
      `token audiences ${quoted(claims.aud)} is invalid for the target audiences ${quoted(asked)}`,
    );
  if (!isAlive(storage, claims, now)) return refuse('service account token has been invalidated');
  return { user: userOf(claims), audiences };
}

function quoted(values: readonly string[]): string {
  return `[${values.map((each) => JSON.stringify(each)).join(' ')}]`;
}

function isAlive(storage: ObjectStorage, claims: Claims, now: number): boolean {
  const { namespace, serviceaccount, pod: ofPod, secret: ofSecret } = claims['kubernetes.io'];
  const is = (kind: Kind, { name, uid }: Reference) => {
    const found = storage.get(kind, namespace, name)?.object.metadata;
    if (found === undefined || found.uid !== uid) return false;
    return found.deletionTimestamp === undefined || Date.parse(found.deletionTimestamp) + leewayMs > now;
  };
  return (
    is(serviceAccount, serviceaccount) &&
    (ofPod === undefined || is(pod, ofPod)) &&
    (ofSecret === undefined || is(secret, ofSecret))
  );
}

function userOf({ sub, jti, 'kubernetes.io': bound }: Claims): UserInfo {
  const { namespace, serviceaccount, pod: ofPod, node } = bound;
  const prefix = 'authentication.kubernetes.io';
  const extra: Record<string, string[]> = { [`${prefix}/credential-id`]: [`JTI=${jti}`] };
  const add = (key: string, value: string | undefined) => {
    if (value !== undefined) extra[`${prefix}/${key}`] = [value];
  };
  add('node-name', node?.name);
  add('node-uid', node?.uid);
  add('pod-name', ofPod?.name);
  add('pod-uid', ofPod?.uid);
  return {
    username: sub,
    ...(serviceaccount.uid !== undefined && { uid: serviceaccount.uid }),
    groups: serviceAccountGroups(namespace),
    extra,
  };
}
