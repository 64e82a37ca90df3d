import type { UserInfo } from '../admission/admission.ts';
import { forbidden, StatusError } from '../errors/status-error.ts';
import type { RequestInfo } from '../request/request-info.ts';

/** The 403 for what an authoriser does not allow. */
export function accessRefused({ username }: UserInfo, info: RequestInfo, reason = ''): StatusError {
  const why = reason === '' ? '' : `: ${reason}`;
  const user = JSON.stringify(username);
  if (!info.isResource) {
    const message = `forbidden: User ${user} cannot ${info.verb} path ${JSON.stringify(info.path)}${why}`;
    return new StatusError(403, 'Forbidden', message, {});
  }
  const resource = { group: info.group, plural: info.resource };
  const shown = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  const where =
    info.namespace === undefined
      ? 'at the cluster scope'
      : `in the namespace ${JSON.stringify(info.namespace)}`;
  const what = `User ${user} cannot ${info.verb} resource ${JSON.stringify(shown)} in API group ${JSON.stringify(info.group)} ${where}${why}`;
  return forbidden(resource, info.name ?? '', what);
}
