import type { Authorise } from '../../cel/authorizer.ts';
import { badRequest, forbidden } from '../../errors/status-error.ts';
import type { Attributes } from '../admission.ts';
import type { AdmissionRequest } from '../admission-request.ts';
import { matched } from '../match.ts';
import { conditionsHold } from '../policy/conditions.ts';
import { scopeOf } from '../policy/scope.ts';
import type { Webhook } from './webhook-objects.ts';

/** Returns the request to send to a webhook, if it matches. Throws a StatusError when matching fails. */
export function reviewFor(
  webhook: Webhook,
  given: AdmissionRequest,
  attributes: Attributes,
  authorise: Authorise,
): AdmissionRequest | undefined {
  const { rules = [], matchConditions = [] } = webhook;
  const request = matched({ ...webhook, resourceRules: rules }, given);
  if (request === undefined) return undefined;
  if (matchConditions.length > 0) {
    const held = conditionsHold(matchConditions, scopeOf(request, undefined, authorise));
    if (held === false) return undefined;
    if (held !== true) {
      if (webhook.failurePolicy === 'Ignore') return undefined;
      throw forbidden(attributes.kind, request.name, held);
    }
  }
  if (request.dryRun && !['None', 'NoneOnDryRun'].includes(webhook.sideEffects ?? ''))
    throw badRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`);
  return request;
}
