import { forbidden, StatusError } from '../errors/status-error.ts';
import { type Attributes, isPath, refusal } from '../rbac/attributes.ts';

/** Returns the 403 for a request that the authoriser denies. */
export function accessRefused(attributes: Attributes, reason = ''): StatusError {
  const why = `${refusal(attributes)}${reason === '' ? '' : `: ${reason}`}`;
  if (isPath(attributes)) return new StatusError(403, 'Forbidden', `forbidden: ${why}`, {});
  return forbidden({ group: attributes.group, plural: attributes.resource }, attributes.name, why);
}
