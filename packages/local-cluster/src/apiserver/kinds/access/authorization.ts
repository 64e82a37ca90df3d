import type { UserInfo } from '../../admission/admission.ts';
import { type FieldError, invalid, invalidObject } from '../../errors/field-error.ts';
import { badRequest } from '../../errors/status-error.ts';
import type { ApiObject } from '../../object.ts';
import type { Attributes } from '../../rbac/attributes.ts';
import type { Verdict } from '../../rbac/authorise.ts';
import { defineReview } from './review.ts';

const group = 'authorization.k8s.io';

interface Asked {
  resourceAttributes?: {
    namespace?: string;
    verb?: string;
    group?: string;
    resource?: string;
    subresource?: string;
    name?: string;
  };
  nonResourceAttributes?: { path?: string; verb?: string };
}

interface AccessReview extends ApiObject {
  spec: Asked & {
    user?: string;
    groups?: string[];
    uid?: string;
    extra?: Record<string, string[]>;
  };
}

function attributes(
  user: UserInfo,
  { resourceAttributes: of, nonResourceAttributes: path }: Asked,
): Attributes {
  if (of === undefined) return { user, verb: path?.verb ?? '', path: path?.path ?? '' };
  const { namespace = '', verb = '', resource = '', subresource = '', name = '' } = of;
  return { user, verb, group: of.group ?? '', resource, subresource, namespace, name };
}

function check({ resourceAttributes, nonResourceAttributes }: Asked, more: readonly FieldError[] = []): void {
  const errors: FieldError[] = [];
  const [both, neither] = [
    resourceAttributes !== undefined && nonResourceAttributes !== undefined,
    resourceAttributes === undefined && nonResourceAttributes === undefined,
  ];
  const detail = both
    ? 'cannot be specified in combination with resourceAttributes'
    : 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  if (both) errors.push(invalid('spec.nonResourceAttributes', nonResourceAttributes, detail));
  if (neither) errors.push(invalid('spec.resourceAttributes', null, detail));
  errors.push(...more);
  // Kubernetes omits the kind in this error.
  if (errors.length > 0) throw invalidObject({ group, kind: '' }, '', errors);
}

function nobody({ user = '', groups = [] }: AccessReview['spec']): FieldError[] {
  if (user !== '' || groups.length > 0) return [];
  return [invalid('spec.user', '', 'at least one of user or group must be specified')];
}

function somebody({ user = '', groups = [], uid, extra }: AccessReview['spec']): UserInfo {
  return { username: user, groups, ...(uid !== undefined && { uid }), ...(extra !== undefined && { extra }) };
}

function answered(object: ApiObject, { allowed, reason }: Verdict): ApiObject {
  return { ...object, status: { allowed, ...(reason !== '' && { reason }) } } as ApiObject;
}

export const subjectAccessReviews = defineReview<AccessReview>(
  group,
  'SubjectAccessReview',
  (object, { services }) => {
    check(object.spec, nobody(object.spec));
    return answered(object, services.access.authorise(attributes(somebody(object.spec), object.spec)));
  },
);

export const selfSubjectAccessReviews = defineReview<AccessReview>(
  group,
  'SelfSubjectAccessReview',
  (object, { services, user }) => {
    check(object.spec);
    return answered(object, services.access.authorise(attributes(user, object.spec)));
  },
);

export const localSubjectAccessReviews = defineReview<AccessReview>(
  group,
  'LocalSubjectAccessReview',
  (object, { services, info }) => {
    const { resourceAttributes: of } = object.spec;
    const field = 'spec.resourceAttributes.namespace';
    const isElsewhere = of !== undefined && of.namespace !== info.namespace;
    check(object.spec, [
      ...nobody(object.spec),
      ...(isElsewhere ? [invalid(field, of.namespace ?? '', 'must match metadata.namespace')] : []),
    ]);
    return answered(object, services.access.authorise(attributes(somebody(object.spec), object.spec)));
  },
  true,
);

interface RulesReview extends ApiObject {
  spec: { namespace?: string };
}

export const selfSubjectRulesReviews = defineReview<RulesReview>(
  group,
  'SelfSubjectRulesReview',
  (object, { services, user }) => {
    const { namespace = '' } = object.spec;
    if (namespace === '') throw badRequest('no namespace on request');
    const rules = services.access.rulesFor(user, namespace);
    const ofResources = rules.filter(({ resources = [] }) => resources.length > 0);
    const ofPaths = rules.filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0);
    const status = {
      resourceRules: ofResources.map(({ verbs, apiGroups, resources, resourceNames }) => ({
        verbs,
        apiGroups,
        resources,
        ...(resourceNames !== undefined && { resourceNames }),
      })),
      nonResourceRules: ofPaths.map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete: false,
    };
    return { ...object, status } as ApiObject;
  },
);
