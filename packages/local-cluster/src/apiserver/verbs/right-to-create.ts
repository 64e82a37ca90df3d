import { accessRefused } from '../identity/forbidden-message.ts';
import { attributesFor } from '../identity/request-attributes.ts';
import type { VerbRequest } from './verb-request.ts';

/** Requires the permission to create from a caller that creates by update or apply. Throws a StatusError. */
export function needRightToCreate({ user, info, query, services }: VerbRequest): void {
  const attributes = attributesFor(user, { ...info, verb: 'create' }, query);
  const { allowed, reason } = services.access.authorise(attributes);
  if (!allowed) throw accessRefused(attributes, reason);
}
