import { invalid, invalidObject } from '../errors/field-error.ts';
import { badRequest, conflict, notFound, StatusError } from '../errors/status-error.ts';
import type { Kind, StrategyContext } from '../kinds/kind.ts';
import { isSameButTimes } from '../managed-fields/same-but-times.ts';
import { trackWrite } from '../managed-fields/track-write.ts';
import { validateCommon, validateMetaUpdate } from '../meta/validate-meta.ts';
import { type ApiObject, clone, equal } from '../object.ts';
import { renderObject } from '../representation/render.ts';
import { mediaType, readBody } from '../request/body.ts';
import { decodeBody, targetOf } from '../request/decode-body.ts';
import { type WriteOptions, writeOptions } from '../request/options.ts';
import { type Found, modifiedMessage } from '../storage/object-storage.ts';
import { textOf } from '../storage/object-text.ts';
import { admitChanges } from './admit-changes.ts';
import { createObject, placeInNamespace } from './create.ts';
import { needRightToCreate } from './right-to-create.ts';
import { type Answer, attributesOf, contextOf, type VerbRequest, writerOf } from './verb-request.ts';

export async function update(request: VerbRequest): Promise<Answer> {
  const { kind, query, incoming, info, services, render } = request;
  const options = writeOptions(query, 'UpdateOptions');
  const body = await readBody(incoming);
  const { object, warnings } = decodeBody(body, mediaType(incoming), targetOf(kind), options.fieldValidation);
  request.warnings.push(...warnings);
  checkName(object, info.name ?? '');
  placeInNamespace(object, kind, info.namespace);
  const exists = services.storage.text(kind, info.namespace, info.name ?? '') !== undefined;
  if (!exists && kind.createOnUpdate && info.subresource === '') {
    if (object.metadata.uid) throw uidMismatch(kind, object, '');
    needRightToCreate(request);
    trackWrite(writerOf(request, options), undefined, object);
    const created = await createObject(request, object, options.dryRun);
    return { code: 201, body: renderObject(kind, created, render) };
  }
  const updated = await updateObject(request, options, (old) => {
    const { uid } = object.metadata;
    if (uid && uid !== old.metadata.uid) throw uidMismatch(kind, object, old.metadata.uid ?? '');
    return clone(object);
  });
  return { code: 200, body: renderObject(kind, updated, render) };
}

export function uidMismatch(kind: Kind, { metadata }: ApiObject, found: string): StatusError {
  const { name = '', namespace, uid = '' } = metadata;
  const key = `${kind.storagePrefix}${namespace === undefined ? '' : `${namespace}/`}${name}`;
  return conflict(
    kind,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found}`,
  );
}

export function checkName({ metadata }: ApiObject, name: string): void {
  if (!metadata.name)
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  if (metadata.name !== name)
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    );
}

/** Attempts to write a change without resourceVersion before a conflict is returned. */
const maxAttempts = 20;

/**
 * Changes one object: `next` computes the new object from the old one, and is called again after a conflict. For an
 * apply, `next` also sets managedFields. Returns the stored text; the old text when nothing changed.
 */
export async function updateObject(
  request: VerbRequest,
  options: Pick<WriteOptions, 'dryRun' | 'fieldManager'>,
  next: (old: ApiObject) => ApiObject,
  how: 'update' | 'patch' | 'apply' = 'update',
): Promise<string> {
  const { kind, info, services } = request;
  const { dryRun } = options;
  for (let attempt = 1; ; attempt++) {
    const found = services.storage.get(kind, info.namespace, info.name ?? '');
    if (found === undefined) throw notFound(kind, info.name ?? '');
    const object = next(found.object);
    if (how !== 'apply') trackWrite(writerOf(request, options), found.object, object);
    // A patch that does not set the resourceVersion has that of the object that was just read.
    const isUntouched =
      how !== 'update' && object.metadata.resourceVersion === found.object.metadata.resourceVersion;
    const isConditional = !isUntouched && checkVersion(kind, object, found.object);
    await prepare(request, object, found.object, dryRun);
    try {
      return await write(request, object, found, dryRun);
    } catch (error) {
      const isRace = error instanceof StatusError && error.status.reason === 'Conflict';
      if (!isRace || isConditional || attempt === maxAttempts) throw error;
    }
  }
}

/** Returns whether the object has a resourceVersion, so the update is conditional. Throws when it is outdated. */
function checkVersion(kind: Kind, { metadata }: ApiObject, old: ApiObject): boolean {
  const { resourceVersion = '', name = '' } = metadata;
  if (resourceVersion === '' || resourceVersion === '0') {
    if (!kind.unconditionalUpdate)
      throw invalidObject({ group: kind.group, kind: kind.plural }, name, [
        invalid(
          'metadata.resourceVersion',
          resourceVersion === '' ? 0 : '0',
          'must be specified for an update',
        ),
      ]);
    metadata.resourceVersion = old.metadata.resourceVersion ?? '';
    return false;
  }
  if (!/^\d+$/.test(resourceVersion))
    throw new StatusError(
      500,
      undefined,
      `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`,
    );
  if (resourceVersion !== old.metadata.resourceVersion) throw conflict(kind, name, modifiedMessage);
  return true;
}

async function prepare(
  request: VerbRequest,
  object: ApiObject,
  old: ApiObject,
  dryRun: boolean,
): Promise<void> {
  const { kind, services, info } = request;
  const context = contextOf(request, dryRun);
  const attributes = attributesOf(request, {
    operation: 'UPDATE',
    name: info.name ?? '',
    object,
    old,
    dryRun,
  });
  await admitChanges(request, attributes);
  keepSystemFields(object, old);
  if (info.subresource === 'status') {
    keepAllButStatus(object, old);
    kind.strategy.prepareForStatusUpdate?.(object, old);
    if (kind.custom !== undefined) keepMetadata(object, old);
  } else {
    const rules = kind.strategy.subresources?.[info.subresource];
    if (info.subresource === '') {
      if (kind.hasStatus) keepStatus(object, old);
      kind.strategy.prepareForUpdate?.(object, old, context);
    } else rules?.prepareForUpdate(object, old);
    const isWhole = info.subresource === '' || rules !== undefined;
    if (isWhole && kind.hasGeneration && isNewGeneration(kind, object, old))
      object.metadata.generation = (old.metadata.generation ?? 0) + 1;
  }
  const ofMeta = validateMetaUpdate(object.metadata, old.metadata);
  const common = validateCommon(object.metadata, 'metadata');
  const errors = [
    // Kubernetes validates metadata for all kinds, and every kind validates it again, so these causes are repeated.
    ...[...ofMeta, ...ofMeta],
    ...[...common, ...common, ...common, ...common],
    ...strategyErrors(kind, object, old, info.subresource, context),
  ];
  if (errors.length > 0) throw invalidObject(kind, info.name ?? '', errors);
  if (object.metadata.generation !== old.metadata.generation)
    request.warnings.push(...(kind.strategy.warnings?.(object, old) ?? []));
  await services.admission.validate(attributes);
}

function isNewGeneration({ strategy }: Kind, object: ApiObject, old: ApiObject): boolean {
  return specChanged(object, old) || strategy.isNewGeneration?.(object, old) === true;
}

function strategyErrors(
  kind: Kind,
  object: ApiObject,
  old: ApiObject,
  subresource: string,
  context: StrategyContext,
) {
  const { strategy } = kind;
  if (subresource === 'status') return strategy.validateStatus?.(object, old, context) ?? [];
  const rules = strategy.subresources?.[subresource];
  if (rules !== undefined) return rules.validateUpdate(object, old);
  // The binding verb has validated the Binding, and changes nothing else.
  if (subresource === 'binding') return [];
  return strategy.validateUpdate?.(object, old, context) ?? strategy.validate?.(object, context) ?? [];
}

function keepSystemFields({ metadata }: ApiObject, { metadata: old }: ApiObject): void {
  metadata.uid ??= old.uid ?? '';
  if (old.generation === undefined) delete metadata.generation;
  else metadata.generation = old.generation;
  if (old.creationTimestamp !== undefined) metadata.creationTimestamp = old.creationTimestamp;
  if (old.deletionTimestamp !== undefined) metadata.deletionTimestamp = old.deletionTimestamp;
  if (old.deletionGracePeriodSeconds !== undefined)
    metadata.deletionGracePeriodSeconds ??= old.deletionGracePeriodSeconds;
}

function keepStatus(object: ApiObject, old: ApiObject): void {
  if ('status' in old) Object.assign(object, { status: old.status });
  else delete (object as { status?: unknown }).status;
}

/** A write of the status keeps all other fields, except for metadata, which controllers may change. */
function keepAllButStatus(object: ApiObject, old: ApiObject): void {
  const {
    kind: _kind,
    apiVersion: _version,
    metadata: _metadata,
    status: _status,
    ...rest
  } = old as ApiObject & {
    status?: unknown;
  };
  for (const key of Object.keys(object))
    if (!['kind', 'apiVersion', 'metadata', 'status'].includes(key))
      delete (object as unknown as Record<string, unknown>)[key];
  Object.assign(object, rest);
}

/** Keeps the metadata except for managedFields, as the status may have a new manager. */
function keepMetadata(object: ApiObject, old: ApiObject): void {
  const { managedFields } = object.metadata;
  object.metadata = clone(old.metadata);
  if (managedFields === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = managedFields;
}

/** Whether any field other than metadata and status changed. */
function specChanged(object: ApiObject, old: ApiObject): boolean {
  const body = ({ kind: _kind, apiVersion: _version, metadata: _metadata, ...rest }: ApiObject) => {
    const { status: _status, ...spec } = rest as { status?: unknown };
    return spec;
  };
  return !equal(body(object), body(old));
}

async function write(
  { kind, services }: VerbRequest,
  object: ApiObject,
  old: Found,
  dryRun: boolean,
): Promise<string> {
  if (isGone(object)) {
    if (!dryRun) return (await services.storage.remove(kind, object, old.revision)).text;
    return textOf(object);
  }
  if (isSameButTimes(object, old.object)) return old.text;
  if (dryRun) return textOf(object);
  return (await services.storage.update(kind, object, old.revision)).text;
}

/** Whether an object that is being deleted has no finalizers left and needs no confirmation. */
function isGone(object: ApiObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  const held = (object as { spec?: { finalizers?: string[] } }).spec?.finalizers ?? [];
  const isHeld = object.kind === 'Namespace' && held.length > 0;
  return (
    deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0 && !isHeld
  );
}
