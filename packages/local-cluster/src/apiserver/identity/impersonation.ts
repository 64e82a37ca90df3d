import type { IncomingMessage } from 'node:http';
import type { UserInfo } from '../admission/admission.ts';
import { badRequest } from '../errors/status-error.ts';
import { type Attributes, serviceAccountGroups } from '../rbac/attributes.ts';
import type { Verdict } from '../rbac/authorise.ts';
import { accessRefused } from './forbidden-message.ts';

const authenticated = 'system:authenticated';
const anonymous = 'system:anonymous';
const unauthenticated = 'system:unauthenticated';
const accountName = /^system:serviceaccount:([^:]+):([^:]+)$/;

interface Wanted {
  user: string;
  uid: string;
  groups: string[];
  extra: Record<string, string[]>;
}

/** Returns the user that the request impersonates; undefined without impersonation headers. */
export function impersonated(
  { headersDistinct }: IncomingMessage,
  asker: UserInfo,
  request: Attributes,
  authorise: (attributes: Attributes) => Verdict,
): UserInfo | undefined {
  const wanted = wantedOf(headersDistinct);
  if (wanted === undefined) return undefined;
  for (const right of rightsFor(wanted))
    if (!authorise({ user: asker, verb: 'impersonate', subresource: '', namespace: '', ...right }).allowed)
      throw accessRefused({
        ...request,
        user: asker,
        verb: `impersonate-on:${modeOf(wanted)}:${request.verb}`,
      });
  const account = accountName.exec(wanted.user);
  const groups =
    wanted.groups.length === 0 && account !== null ? serviceAccountGroups(account[1] ?? '') : wanted.groups;
  const last = wanted.user === anonymous ? unauthenticated : authenticated;
  return {
    username: wanted.user,
    ...(wanted.uid !== '' && { uid: wanted.uid }),
    groups: groups.includes(authenticated) || groups.includes(unauthenticated) ? groups : [...groups, last],
    ...(Object.keys(wanted.extra).length > 0 && { extra: { ...wanted.extra } }),
  };
}

/** Node reads a header as Latin-1, and Go as UTF-8. */
function textOf(header: string): string {
  return Buffer.from(header, 'latin1').toString('utf8');
}

function wantedOf(headers: NodeJS.Dict<string[]>): Wanted | undefined {
  const extra: Record<string, string[]> = Object.create(null);
  for (const [key, values = []] of Object.entries(headers))
    if (key.startsWith('impersonate-extra-'))
      extra[decoded(key.slice('impersonate-extra-'.length))] = values.map(textOf);
  const wanted: Wanted = {
    user: textOf(headers['impersonate-user']?.[0] ?? ''),
    uid: textOf(headers['impersonate-uid']?.[0] ?? ''),
    groups: (headers['impersonate-group'] ?? []).map(textOf),
    extra,
  };
  const isNothing = wanted.uid === '' && wanted.groups.length === 0 && Object.keys(extra).length === 0;
  if (wanted.user !== '') return wanted;
  if (isNothing) return undefined;
  throw badRequest(`requested ${asGo(wanted)} without impersonating a user name`);
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    throw badRequest(`header Impersonate-Extra-${key} cannot be decoded: invalid percent-encoding`);
  }
}

/** Prints the user as Go prints its struct, which is what Kubernetes' message contains. */
function asGo({ uid, groups, extra }: Wanted): string {
  const list = (values: string[]) => `[]string{${values.map((each) => JSON.stringify(each)).join(', ')}}`;
  const entries = Object.entries(extra).map(([key, values]) => `${JSON.stringify(key)}:${list(values)}`);
  const told = entries.length === 0 ? '(nil)' : `{${entries.join(', ')}}`;
  const group = groups.length === 0 ? '[]string(nil)' : list(groups);
  return `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${group}, Extra:map[string][]string${told}}`;
}

interface Right {
  group: string;
  resource: string;
  subresource?: string;
  namespace?: string;
  name: string;
}

function rightsFor({ user, uid, groups, extra }: Wanted): Right[] {
  const account = accountName.exec(user);
  const authentication = 'authentication.k8s.io';
  return [
    account === null
      ? { group: '', resource: 'users', name: user }
      : { group: '', resource: 'serviceaccounts', namespace: account[1] ?? '', name: account[2] ?? '' },
    ...groups.map((name) => ({ group: '', resource: 'groups', name })),
    ...(uid === '' ? [] : [{ group: authentication, resource: 'uids', name: uid }]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((name) => ({ group: authentication, resource: 'userextras', subresource: key, name })),
    ),
  ];
}

function modeOf({ user }: Wanted): string {
  return accountName.test(user) ? 'serviceaccount' : 'user-info';
}
