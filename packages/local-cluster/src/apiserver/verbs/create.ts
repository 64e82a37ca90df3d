import { randomUUID } from 'node:crypto';
import { timestamp } from '../../objects/timestamp.ts';
import { invalidObject } from '../errors/field-error.ts';
import { alreadyExists, badRequest, generatedNameExists, StatusError } from '../errors/status-error.ts';
import type { Kind, StrategyContext } from '../kinds/kind.ts';
import { trackWrite } from '../managed-fields/track-write.ts';
import { dropDuplicateOwners } from '../meta/duplicate-owners.ts';
import { generatedName } from '../meta/generated-name.ts';
import { validateMeta } from '../meta/validate-meta.ts';
import type { ApiObject } from '../object.ts';
import { renderObject } from '../representation/render.ts';
import { mediaType, readBody } from '../request/body.ts';
import { decodeBody, targetOf } from '../request/decode-body.ts';
import { writeOptions } from '../request/options.ts';
import { textOf } from '../storage/object-text.ts';
import { admitChanges } from './admit-changes.ts';
import { type Answer, attributesOf, contextOf, type VerbRequest, writerOf } from './verb-request.ts';

export async function create(request: VerbRequest): Promise<Answer> {
  const { kind, query, incoming, info } = request;
  if (kind.custom?.refusesCreate !== undefined)
    throw new StatusError(405, 'MethodNotAllowed', kind.custom.refusesCreate, {
      group: kind.group,
      kind: kind.plural,
    });
  const options = writeOptions(query, 'CreateOptions');
  const body = await readBody(incoming);
  const { object, warnings } = decodeBody(body, mediaType(incoming), targetOf(kind), options.fieldValidation);
  request.warnings.push(...warnings);
  placeInNamespace(object, kind, info.namespace);
  if (!options.dryRun && object.metadata.resourceVersion)
    throw new StatusError(500, undefined, 'resourceVersion should not be set on objects to be created');
  trackWrite(writerOf(request, options), undefined, object);
  const created = await createObject(request, object, options.dryRun);
  return { code: 201, body: renderObject(kind, created, request.render) };
}

/** Admits, validates and stores a decoded object; also used by PUT for an object that does not exist. */
export async function createObject(
  request: VerbRequest,
  object: ApiObject,
  dryRun: boolean,
): Promise<string> {
  const { kind, services } = request;
  const context = contextOf(request, dryRun);
  const attributes = attributesOf(request, {
    operation: 'CREATE',
    name: object.metadata.name ?? '',
    object,
    old: undefined,
    dryRun,
  });
  request.warnings.push(...dropDuplicateOwners(object.metadata));
  await admitChanges(request, attributes);
  // Mutating plugins see the object as sent: without a UID, and without a generated name.
  const isGenerated = fillSystemFields(object, context);
  prepareForCreate(kind, object, context);
  check(kind, object, context);
  request.warnings.push(...(kind.strategy.warnings?.(object) ?? []));
  await services.admission.validate({ ...attributes, name: object.metadata.name ?? '' });
  if (dryRun) {
    const { namespace, name = '' } = object.metadata;
    if (services.storage.text(kind, namespace, name) !== undefined) throw alreadyExists(kind, name);
    return textOf(object);
  }
  try {
    return (await services.storage.create(kind, object)).text;
  } catch (error) {
    const isTaken = error instanceof StatusError && error.status.reason === 'AlreadyExists';
    throw isTaken && isGenerated ? generatedNameExists(kind, object.metadata.name ?? '') : error;
  }
}

/** Returns whether the name was generated. */
function fillSystemFields({ metadata }: ApiObject, { now }: StrategyContext): boolean {
  metadata.uid = randomUUID();
  metadata.creationTimestamp = timestamp(now);
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.resourceVersion;
  if (metadata.name || !metadata.generateName) return false;
  metadata.name = generatedName(metadata.generateName);
  return true;
}

function prepareForCreate(kind: Kind, object: ApiObject, context: StrategyContext): void {
  if (kind.hasGeneration) object.metadata.generation = 1;
  kind.strategy.prepareForCreate?.(object, context);
}

function check(kind: Kind, object: ApiObject, context: StrategyContext): void {
  const errors = [
    ...validateMeta(object.metadata, kind),
    ...(kind.strategy.validate?.(object, context) ?? []),
  ];
  const type = { group: kind.group, kind: object.kind };
  if (errors.length > 0) throw invalidObject(type, object.metadata.name ?? '', errors);
}

/** Sets the namespace of the path. A body can omit the namespace, but must not name another one. */
export function placeInNamespace(object: ApiObject, kind: Kind, namespace: string | undefined): void {
  const { metadata } = object;
  if (!kind.namespaced) {
    delete metadata.namespace;
    return;
  }
  if (namespace === undefined) throw badRequest('an empty namespace may not be set during creation');
  if (metadata.namespace && metadata.namespace !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  metadata.namespace = namespace;
}
