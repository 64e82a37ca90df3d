import type { Authorise } from '../../cel/authorizer.ts';
import { badRequest, forbidden } from '../../errors/status-error.ts';
import type { Attributes } from '../admission.ts';
import type { AdmissionRequest } from '../admission-request.ts';
import { constraintsMatch } from '../match.ts';
import { conditionsHold } from '../policy/conditions.ts';
import { scopeOf } from '../policy/scope.ts';
import type { Webhook } from './webhook-objects.ts';

/** Whether a webhook is to be asked about a request. Throws a StatusError when that cannot be told. */
export function isAsked(
  webhook: Webhook,
  request: AdmissionRequest,
  attributes: Attributes,
  authorise: Authorise,
): boolean {
  const { rules = [], namespaceSelector = {}, objectSelector = {}, matchConditions = [] } = webhook;
  if (!constraintsMatch({ resourceRules: rules, namespaceSelector, objectSelector }, request)) return false;
  if (matchConditions.length > 0) {
    const held = conditionsHold(matchConditions, scopeOf(request, undefined, authorise));
    if (held === false) return false;
    if (held !== true) {
      if (webhook.failurePolicy === 'Ignore') return false;
      throw forbidden(attributes.kind, request.name, held);
    }
  }
  if (request.dryRun && !['None', 'NoneOnDryRun'].includes(webhook.sideEffects ?? ''))
    throw badRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`);
  return true;
}
