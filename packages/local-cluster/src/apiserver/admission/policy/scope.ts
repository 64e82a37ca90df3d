import type { KubeObject } from '@trimtab/kube/wire.ts';
import { type Authorise, Authorizer } from '../../cel/authorizer.ts';
import { celValue } from '../../cel/values.ts';
import type { AdmissionRequest } from '../admission-request.ts';

export type Scope = Record<string, unknown>;

/** Variables that expressions of policies and match conditions can use. */
export function scopeOf(
  request: AdmissionRequest,
  params: KubeObject | undefined,
  authorise: Authorise,
): Scope {
  const { namespaceObject, object, oldObject, userInfo } = request;
  const { group, version, resource } = request.resource;
  return {
    object: object === undefined ? null : celValue(object),
    oldObject: oldObject === undefined ? null : celValue(oldObject),
    params: params === undefined ? null : celValue(params),
    namespaceObject: namespaceObject === undefined ? null : celValue(namespaceObject),
    request: celValue({
      kind: request.kind,
      resource: { group, version, resource },
      ...set('subResource', request.subresource),
      requestKind: request.requestKind,
      requestResource: request.requestResource,
      ...set('requestSubResource', request.subresource),
      ...set('name', request.name),
      ...set('namespace', request.namespace),
      operation: request.operation,
      userInfo,
      dryRun: request.dryRun,
      options: request.options ?? {},
    }),
    authorizer: new Authorizer(userInfo, authorise),
  };
}

/** A field that is empty is not set. */
function set(field: string, value: string): object {
  return value === '' ? {} : { [field]: value };
}
