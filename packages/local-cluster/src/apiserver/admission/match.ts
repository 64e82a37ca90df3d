import { type LabelSelector, labelsMatch } from '../selector/object-selector.ts';
import type { AdmissionRequest } from './admission-request.ts';

export interface ResourceRule {
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  operations?: string[];
  /** `Namespaced`, `Cluster` or `*` */
  scope?: string;
  resourceNames?: string[];
}

export interface MatchConstraints {
  /** `Equivalent`: rules that name another version of the same objects match as well. */
  matchPolicy?: string;
  resourceRules?: ResourceRule[];
  excludeResourceRules?: ResourceRule[];
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
}

/** Returns the request in the version that a webhook or policy matches; undefined when it does not match. */
export function matched(
  constraints: MatchConstraints,
  request: AdmissionRequest,
): AdmissionRequest | undefined {
  const {
    matchPolicy,
    resourceRules,
    excludeResourceRules = [],
    namespaceSelector = {},
    objectSelector = {},
  } = constraints;
  if (!namespaceMatches(namespaceSelector, request) || !objectMatches(objectSelector, request))
    return undefined;
  if (asNamedBy(excludeResourceRules, request, matchPolicy) !== undefined) return undefined;
  return resourceRules === undefined ? request : asNamedBy(resourceRules, request, matchPolicy);
}

/** Returns the request in the version that a rule names: the client's, or another in which the objects are served. */
function asNamedBy(
  rules: readonly ResourceRule[],
  request: AdmissionRequest,
  matchPolicy: string | undefined,
): AdmissionRequest | undefined {
  const others = matchPolicy === 'Equivalent' ? request.otherVersions : [];
  const versions = [request, ...others.map((version) => inVersion(request, version))];
  return versions.find((each) => rules.some((rule) => ruleMatches(rule, each)));
}

/** Versions of a custom resource differ in `apiVersion` only; the server supports no other conversion. */
function inVersion(request: AdmissionRequest, version: string): AdmissionRequest {
  const { kind, resource, object, oldObject } = request;
  // A Scale has the same version for all versions of the object that it scales.
  if (kind.group !== resource.group) return { ...request, resource: { ...resource, version } };
  const apiVersion = `${resource.group}/${version}`;
  return {
    ...request,
    kind: { ...kind, version },
    resource: { ...resource, version },
    object: object && { ...object, apiVersion },
    oldObject: oldObject && { ...oldObject, apiVersion },
  };
}

function ruleMatches(rule: ResourceRule, request: AdmissionRequest): boolean {
  const { group, version, resource } = request.resource;
  const { scope = '*', resourceNames = [] } = rule;
  const isNamespaced = request.namespace !== '' && !isNamespace(request);
  return (
    holds(rule.operations, request.operation) &&
    holds(rule.apiGroups, group) &&
    holds(rule.apiVersions, version) &&
    (rule.resources ?? []).some((each) => resourceMatches(each, resource, request.subresource)) &&
    (scope === '*' || (scope === 'Namespaced') === isNamespaced) &&
    (resourceNames.length === 0 || resourceNames.includes(request.name))
  );
}

/** Patterns: `pods`, `pods/status`, `pods/*`. A star is all resources; star, slash, star adds all subresources. */
function resourceMatches(pattern: string, resource: string, subresource: string): boolean {
  const [wanted = '', wantedSub = ''] = pattern.split('/');
  const fitsResource = wanted === '*' || wanted === resource;
  return fitsResource && (wantedSub === '*' || wantedSub === subresource);
}

function holds(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes('*') || list.includes(value));
}

function isNamespace({ resource }: AdmissionRequest): boolean {
  return resource.group === '' && resource.resource === 'namespaces';
}

/** A Namespace is matched by its own labels. Other cluster-scoped objects always match. */
function namespaceMatches(selector: LabelSelector, request: AdmissionRequest): boolean {
  if (isNamespace(request)) {
    const { metadata } = request.object ?? request.oldObject ?? { metadata: {} };
    return labelsMatch(selector, metadata.labels ?? {});
  }
  return request.namespace === '' || labelsMatch(selector, request.namespaceLabels);
}

/** Either the old or the new object has to match: removing the label must not bypass a webhook or policy. */
function objectMatches(selector: LabelSelector, { object, oldObject }: AdmissionRequest): boolean {
  if (isEmpty(selector)) return true;
  return [object, oldObject].some(
    (each) => each !== undefined && labelsMatch(selector, each.metadata.labels ?? {}),
  );
}

function isEmpty({ matchLabels, matchExpressions }: LabelSelector): boolean {
  return Object.keys(matchLabels ?? {}).length === 0 && (matchExpressions ?? []).length === 0;
}
