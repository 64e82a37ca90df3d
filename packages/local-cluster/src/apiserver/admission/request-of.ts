import { randomUUID } from 'node:crypto';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { namespace as namespaces } from '../kinds/core/namespace.ts';
import type { ObjectStorage } from '../storage/object-storage.ts';
import type { Attributes } from './admission.ts';
import type { AdmissionRequest } from './admission-request.ts';

/** Returns a write as webhooks and policies see it, with the namespace of the object. */
export function admissionRequestOf(attributes: Attributes, storage: ObjectStorage): AdmissionRequest {
  const { kind, namespace, operation, subresource, name, user, object, old, dryRun, options } = attributes;
  const isNamespace = kind === namespaces;
  const where = isNamespace ? name : (namespace ?? '');
  const home = where === '' || isNamespace ? undefined : storage.get(namespaces, undefined, where)?.object;
  const { group, version } = kind;
  const asked = attributes.as ?? { group, version, kind: kind.kind };
  const resource = { group, version, resource: kind.plural };
  return {
    uid: randomUUID(),
    operation,
    kind: asked,
    resource,
    requestKind: asked,
    requestResource: resource,
    otherVersions: kind.custom?.otherVersions ?? [],
    subresource,
    name,
    namespace: where,
    namespaceLabels: home?.metadata.labels ?? {},
    namespaceObject: home,
    userInfo: user,
    object: object as KubeObject | undefined,
    oldObject: old as KubeObject | undefined,
    dryRun,
    options,
  };
}

/** Webhook configurations and policies are exempt from admission, so a faulty one cannot block its own repair. */
export function isExempt({ kind }: Attributes): boolean {
  return kind.group === 'admissionregistration.k8s.io';
}
