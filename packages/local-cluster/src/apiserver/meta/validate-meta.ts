import type { OwnerReference } from '@trimtab/kube/wire.ts';
import { type FieldError, forbiddenField, invalid, required, tooLong } from '../errors/field-error.ts';
import type { Kind } from '../kinds/kind.ts';
import { equal, type StoredMeta } from '../object.ts';
import { asPrefix, dnsLabel, labelValue, qualifiedName } from './names.ts';

const maxAnnotationBytes = 256 * 1024;

/** Validates the metadata of an object to create, after its name is generated. */
export function validateMeta(
  meta: StoredMeta,
  { namespaced, strategy: { nameRule }, custom }: Pick<Kind, 'namespaced' | 'strategy' | 'custom'>,
): FieldError[] {
  const errors: FieldError[] = [];
  const { generateName = '', name = '', namespace = '' } = meta;
  if (generateName !== '')
    errors.push(
      ...asPrefix(nameRule)(generateName).map((each) => invalid('metadata.generateName', generateName, each)),
    );
  if (name === '') errors.push(required('metadata.name', 'name or generateName is required'));
  else errors.push(...nameRule(name).map((each) => invalid('metadata.name', name, each)));
  if (!namespaced) {
    if (namespace !== '') errors.push(forbiddenField('metadata.namespace', 'not allowed on this type'));
  } else if (namespace === '') errors.push(required('metadata.namespace'));
  else errors.push(...dnsLabel(namespace).map((each) => invalid('metadata.namespace', namespace, each)));
  return [
    ...errors,
    ...validateCommon(meta, 'metadata'),
    ...validateFinalizers(meta.finalizers ?? [], custom !== undefined),
  ];
}

/** Validates an update of the metadata: immutable fields, and finalizers of an object that is being deleted. */
export function validateMetaUpdate(meta: StoredMeta, old: StoredMeta): FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined) {
    const added = (meta.finalizers ?? []).filter((each) => !old.finalizers?.includes(each)).sort();
    if (added.length > 0) {
      const list = `[]string{${added.map((each) => JSON.stringify(each)).join(', ')}}`;
      errors.push(
        forbiddenField(
          'metadata.finalizers',
          `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`,
        ),
      );
    }
  }
  if (!meta.resourceVersion)
    errors.push(
      invalid('metadata.resourceVersion', meta.resourceVersion ?? '', 'must be specified for an update'),
    );
  for (const key of ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp'] as const)
    if ((meta[key] ?? '') !== (old[key] ?? ''))
      errors.push(
        invalid(
          `metadata.${key}`,
          meta[key] ?? (key.endsWith('Timestamp') ? null : ''),
          'field is immutable',
        ),
      );
  if (meta.deletionGracePeriodSeconds !== old.deletionGracePeriodSeconds)
    errors.push(
      invalid(
        'metadata.deletionGracePeriodSeconds',
        meta.deletionGracePeriodSeconds ?? null,
        'field is immutable',
      ),
    );
  return errors;
}

/** Validates labels, annotations and owners. */
export function validateCommon(meta: StoredMeta, path: string): FieldError[] {
  return [
    ...validateLabels(meta.labels ?? {}, `${path}.labels`),
    ...validateAnnotations(meta.annotations ?? {}, `${path}.annotations`),
    ...validateOwners(meta.ownerReferences ?? [], `${path}.ownerReferences`),
  ];
}

export function validateLabels(labels: Record<string, string>, path: string): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedName(key).map((each) => invalid(path, key, each)),
    ...labelValue(value).map((each) => invalid(path, value, each)),
  ]);
}

export function validateAnnotations(annotations: Record<string, string>, path: string): FieldError[] {
  const errors = Object.keys(annotations).flatMap((key) =>
    qualifiedName(key.toLowerCase()).map((each) => invalid(path, key, each)),
  );
  let size = 0;
  for (const [key, value] of Object.entries(annotations))
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
  return size > maxAnnotationBytes ? [...errors, tooLong(path, maxAnnotationBytes)] : errors;
}

function validateOwners(owners: OwnerReference[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  let first: string | undefined;
  for (const owner of owners) {
    if (owner.apiVersion === '') errors.push(invalid(`${path}.apiVersion`, '', 'version must not be empty'));
    for (const key of ['kind', 'name', 'uid'] as const)
      if (owner[key] === '') errors.push(invalid(`${path}.${key}`, '', 'must not be empty'));
    if (owner.apiVersion === 'v1' && owner.kind === 'Event')
      errors.push(invalid(path, owner, '/v1, Kind=Event is disallowed from being an owner'));
    if (!owner.controller) continue;
    const called = `${owner.kind}/${owner.name}`;
    if (first !== undefined)
      errors.push(
        invalid(
          path,
          owners,
          `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${called}`,
        ),
      );
    first ??= called;
  }
  return errors;
}

const standardFinalizers = ['kubernetes', 'orphan', 'foregroundDeletion'];

/** Finalizers of custom resources need no domain. */
function validateFinalizers(finalizers: string[], isCustom: boolean): FieldError[] {
  const path = 'metadata.finalizers';
  const errors = finalizers.flatMap((each) =>
    qualifiedName(each).map((problem) => invalid(path, each, problem)),
  );
  for (const [index, each] of finalizers.entries())
    if (!isCustom && !each.includes('/') && !standardFinalizers.includes(each))
      errors.push(
        invalid(
          `${path}[${index}]`,
          each,
          'name is neither a standard finalizer name nor is it fully qualified',
        ),
      );
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion'))
    errors.push(invalid(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  return errors;
}

/** Returns an error when an immutable field changed. */
export function immutable(now: unknown, before: unknown, path: string): FieldError[] {
  return equal(now ?? null, before ?? null) ? [] : [invalid(path, now ?? null, 'field is immutable')];
}
