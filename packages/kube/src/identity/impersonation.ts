import { isRecord, unusable } from './kubeconfig-file.ts';

/** The headers of a user's `as` and its kin; the client library knows `as` alone. */
export function impersonationHeaders(user: Record<string, unknown>, where: string): Record<string, string> {
  const { as, 'as-uid': uid, 'as-groups': groups, 'as-user-extra': extra } = user;
  const headers: Record<string, string> = {};
  if (typeof as === 'string' && as !== '') headers['impersonate-user'] = as;
  if (typeof uid === 'string' && uid !== '') headers['impersonate-uid'] = uid;
  const group = single(groups, `as-groups of ${where}`);
  if (group !== undefined) headers['impersonate-group'] = group;
  if (isRecord(extra)) {
    for (const [key, values] of Object.entries(extra)) {
      const value = single(values, `as-user-extra.${key} of ${where}`);
      if (value !== undefined) headers[`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`] = value;
    }
  }
  if (headers['impersonate-user'] === undefined && Object.keys(headers).length > 0)
    throw unusable(`The ${where} impersonates a group, uid or extra, but no user: add 'as'.`);
  return headers;
}

/** Silently dropping a group would ask with other rights than the kubeconfig says. */
function single(values: unknown, what: string): string | undefined {
  if (values === undefined || values === null) return undefined;
  if (!Array.isArray(values) || values.length > 1)
    throw unusable(`Trimtab can impersonate with one value only; ${what} has another number of them.`);
  const [value] = values;
  return value === undefined ? undefined : String(value);
}
