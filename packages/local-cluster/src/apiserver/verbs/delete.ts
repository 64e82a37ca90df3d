import type { Status } from '@trimtab/kube/wire.ts';
import { timestamp } from '../../objects/timestamp.ts';
import { conflict, notFound, StatusError } from '../errors/status-error.ts';
import type { Namespace } from '../kinds/core/namespace.ts';
import type { Kind } from '../kinds/kind.ts';
import { type ApiObject, clone, isObject } from '../object.ts';
import { renderJson, renderObject } from '../representation/render.ts';
import { mediaType, readBody } from '../request/body.ts';
import { readText } from '../request/decode-body.ts';
import { type DeleteOptions, deleteOptions } from '../request/delete-options.ts';
import { decode } from '../schema/decode.ts';
import { DecodeError } from '../schema/scalars.ts';
import { typeNamed } from '../schema/type.ts';
import type { Found } from '../storage/object-storage.ts';
import { textOf } from '../storage/object-text.ts';
import { type Answer, attributesOf, type VerbRequest } from './verb-request.ts';

export async function remove(request: VerbRequest): Promise<Answer> {
  const { kind, info, render } = request;
  const options = await readDeleteOptions(request);
  const { text, isGone } = await deleteObject(request, info.name ?? '', options);
  if (!isGone || kind.returnsDeleted) return { code: 200, body: renderObject(kind, text, render) };
  const { uid = '' } = (JSON.parse(text) as ApiObject).metadata;
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: info.name ?? '',
      ...(kind.group !== '' && { group: kind.group }),
      kind: kind.plural,
      uid,
    },
  };
  return { code: 200, body: renderJson(status, render.as) };
}

export async function readDeleteOptions({ incoming, query }: VerbRequest): Promise<DeleteOptions> {
  const body = await readBody(incoming);
  if (body.length === 0) return deleteOptions(undefined, query);
  const value: unknown = parse(readText(body, mediaType(incoming), 'DeleteOptions').json);
  const raw = isObject(value) ? value : {};
  try {
    decode(raw, typeNamed('io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions'));
  } catch (error) {
    throw error instanceof DecodeError ? new StatusError(400, 'BadRequest', error.message) : error;
  }
  return deleteOptions(raw, query);
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new StatusError(400, 'BadRequest', 'request body is not valid JSON');
  }
}

interface Outcome {
  text: string;
  /** False when the object is only marked, until finalizers are removed or its deletion is confirmed. */
  isGone: boolean;
}

const maxAttempts = 20;

/** Deletes one object or marks it for deletion; retried after a conflict with a concurrent change. */
export async function deleteObject(
  request: VerbRequest,
  name: string,
  options: DeleteOptions,
): Promise<Outcome> {
  const { kind, info, services } = request;
  for (let attempt = 1; ; attempt++) {
    const found = services.storage.get(kind, info.namespace, name);
    if (found === undefined) throw notFound(kind, name);
    checkPreconditions(kind, found.object, options);
    const attributes = attributesOf(request, {
      operation: 'DELETE',
      name,
      object: undefined,
      old: clone(found.object),
      dryRun: options.dryRun,
      options,
    });
    await services.admission.mutate(attributes);
    await services.admission.validate(attributes);
    try {
      return await deleteFound(request, found, options);
    } catch (error) {
      const isRace = error instanceof StatusError && error.status.reason === 'Conflict';
      if (!isRace || attempt === maxAttempts) throw error;
    }
  }
}

async function deleteFound(
  { kind, services }: VerbRequest,
  found: Found,
  options: DeleteOptions,
): Promise<Outcome> {
  const object = clone(found.object);
  if (object.metadata.deletionTimestamp === undefined)
    kind.strategy.prepareForDelete?.(object, services.clock.now());
  const step = markForDeletion(kind, object, options, services.clock.now());
  if (step === 'nothing') return { text: found.text, isGone: false };
  if (options.dryRun)
    return { text: textOf(step === 'remove' ? found.object : object), isGone: step === 'remove' };
  if (step === 'mark')
    return { text: (await services.storage.update(kind, object, found.revision)).text, isGone: false };
  const gone = await services.storage.remove(kind, object, found.revision);
  return { text: gone.text, isGone: true };
}

/** Mutates an object for its deletion; returns whether to remove it, to store it as marked, or to do nothing. */
export function markForDeletion(
  kind: Kind,
  object: ApiObject,
  options: DeleteOptions,
  now: number,
): 'remove' | 'mark' | 'nothing' {
  const { metadata } = object;
  const grace = graceOf(kind, object, options);
  const finalizers = finalizersFor(kind, metadata.finalizers ?? [], options);
  const isMarked = metadata.deletionTimestamp !== undefined;
  const changedFinalizers = String(finalizers) !== String(metadata.finalizers ?? []);
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;

  if (isMarked && metadata.deletionGracePeriodSeconds) {
    // The grace period of a deletion that waits for confirmation can be shortened, but not extended.
    if (
      options.gracePeriodSeconds === undefined ||
      options.gracePeriodSeconds >= metadata.deletionGracePeriodSeconds
    )
      return 'nothing';
    const marked = Date.parse(metadata.deletionTimestamp ?? '') - metadata.deletionGracePeriodSeconds * 1000;
    metadata.deletionTimestamp = timestamp(Math.max(now, marked + options.gracePeriodSeconds * 1000));
    metadata.deletionGracePeriodSeconds = options.gracePeriodSeconds;
    return options.gracePeriodSeconds === 0 && finalizers.length === 0 ? 'remove' : 'mark';
  }
  const isHeld = holdNamespace(object) || finalizers.length > 0;
  if (!isHeld && grace === 0) {
    // Objects of kinds with a grace period have the deletion fields even when they are removed at once.
    if (kind.strategy.gracePeriodSeconds !== undefined && !isMarked) {
      metadata.deletionTimestamp = timestamp(now);
      metadata.deletionGracePeriodSeconds = 0;
    }
    return 'remove';
  }
  if (isMarked) return changedFinalizers ? 'mark' : 'nothing';
  metadata.deletionTimestamp = timestamp(now + grace * 1000);
  // A namespace has no grace period: it is removed when it is empty.
  if (kind.kind !== 'Namespace') metadata.deletionGracePeriodSeconds = grace;
  if (metadata.generation !== undefined) metadata.generation += 1;
  return 'mark';
}

function graceOf(kind: Kind, object: ApiObject, { gracePeriodSeconds }: DeleteOptions): number {
  return kind.strategy.gracePeriodSeconds?.(object, gracePeriodSeconds) ?? 0;
}

/** Returns the finalizers that tell the garbage collector how to treat the dependents of the object. */
function finalizersFor(
  { orphansByDefault }: Kind,
  finalizers: readonly string[],
  { propagationPolicy }: DeleteOptions,
): string[] {
  const others = finalizers.filter((each) => each !== 'orphan' && each !== 'foregroundDeletion');
  const isDecided = others.length < finalizers.length;
  const policy = propagationPolicy ?? (orphansByDefault && !isDecided ? 'Orphan' : undefined);
  if (policy === undefined) return [...finalizers];
  if (policy === 'Orphan') return [...others, 'orphan'];
  return policy === 'Foreground' ? [...others, 'foregroundDeletion'] : others;
}

/** A namespace stays in phase Terminating until all of its content is deleted. */
function holdNamespace(object: ApiObject): boolean {
  if (object.kind !== 'Namespace') return false;
  const { spec, status } = object as Namespace;
  if ((spec.finalizers ?? []).length === 0) return false;
  status.phase = 'Terminating';
  return true;
}

function checkPreconditions(kind: Kind, { metadata }: ApiObject, { preconditions }: DeleteOptions): void {
  const { uid, resourceVersion } = preconditions;
  // In this message Kubernetes shows the kind instead of the resource.
  const resource = { group: kind.group, plural: kind.kind };
  const { name = '' } = metadata;
  if (uid !== undefined && uid !== metadata.uid)
    throw conflict(
      resource,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    throw conflict(
      resource,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
}
