import { type FieldError, invalid, invalidObject } from '../errors/field-error.ts';
import { notFound } from '../errors/status-error.ts';
import { defineKind } from '../kinds/define-kind.ts';
import type { Kind } from '../kinds/kind.ts';
import { dnsSubdomain } from '../meta/names.ts';
import { type ApiObject, clone } from '../object.ts';
import { selectorText } from '../representation/columns.ts';
import { renderJson } from '../representation/render.ts';
import { mediaType, readBody } from '../request/body.ts';
import { decodeBody, targetOf } from '../request/decode-body.ts';
import { writeOptions } from '../request/options.ts';
import { parseObject } from '../storage/object-text.ts';
import { patched, patchTypeOf, readPatch } from './patch.ts';
import { checkName, updateObject } from './update.ts';
import type { Answer, VerbRequest } from './verb-request.ts';

interface Scale extends ApiObject {
  spec: { replicas?: number };
  status: { replicas: number; selector?: string };
}

interface Scalable extends ApiObject {
  spec: { replicas?: number; selector?: Parameters<typeof selectorText>[0] };
  status?: { replicas?: number };
}

/** Served under its resources only. */
const scaleKind = defineKind<Scale>({
  group: 'autoscaling',
  kind: 'Scale',
  plural: 'scales',
  definition: 'io.k8s.api.autoscaling.v1.Scale',
  strategy: { nameRule: dnsSubdomain },
  columns: [],
});

function scaleOf({ custom }: Kind, object: ApiObject): Scale {
  const { metadata, spec, status } = object as Scalable;
  const replicas = custom?.scale === undefined ? spec.replicas : custom.scale.replicas(object);
  const { name = '', namespace = '', uid = '', resourceVersion = '', creationTimestamp = '' } = metadata;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas ? { replicas } : {},
    status: custom?.scale?.status(object) ?? {
      replicas: status?.replicas ?? 0,
      selector: selectorText(spec.selector),
    },
  };
}

export function getScale({ kind, info, services, render }: VerbRequest): Answer {
  const found = services.storage.get(kind, info.namespace, info.name ?? '');
  if (found === undefined) throw notFound(kind, info.name ?? '');
  return { code: 200, body: renderJson(scaleOf(kind, found.object), render.as) };
}

export async function updateScale(request: VerbRequest): Promise<Answer> {
  const { query, incoming, info } = request;
  const options = writeOptions(query, 'UpdateOptions');
  const body = await readBody(incoming);
  const { object, warnings } = decodeBody(
    body,
    mediaType(incoming),
    targetOf(scaleKind),
    options.fieldValidation,
  );
  request.warnings.push(...warnings);
  checkName(object, info.name ?? '');
  return write(request, options.dryRun, () => object as Scale);
}

export async function patchScale(request: VerbRequest): Promise<Answer> {
  const { query, incoming } = request;
  const patchType = patchTypeOf(mediaType(incoming), scaleKind.codec.type);
  const options = writeOptions(query, 'PatchOptions');
  const text = (await readBody(incoming)).toString('utf8');
  const change = readPatch(text, patchType, scaleKind.codec.type);
  return write(
    request,
    options.dryRun,
    (old) => patched(scaleOf(request.kind, old), change, targetOf(scaleKind), options).object as Scale,
  );
}

async function write(
  request: VerbRequest,
  dryRun: boolean,
  next: (old: ApiObject) => Scale,
): Promise<Answer> {
  const scale = request.kind.custom?.scale;
  const shownAs = {
    subresource: 'scale',
    kind: { group: scaleKind.group, version: scaleKind.version, kind: scaleKind.kind },
    convert: (object: ApiObject) => scaleOf(request.kind, object),
  };
  const updated = await updateObject(
    // For the kind's own rules it is an ordinary update of its spec.
    { ...request, info: { ...request.info, subresource: '' }, shownAs },
    dryRun,
    (old) => {
      const { metadata, spec } = next(old);
      const errors = replicasErrors(spec.replicas ?? 0);
      if (errors.length > 0) throw invalidObject(scaleKind, metadata.name ?? '', errors);
      const object = clone(old) as Scalable;
      if (scale === undefined) object.spec.replicas = spec.replicas ?? 0;
      else scale.setReplicas(object, spec.replicas ?? 0);
      object.metadata.resourceVersion = metadata.resourceVersion ?? '';
      return object;
    },
  );
  return { code: 200, body: renderJson(scaleOf(request.kind, parseObject(updated)), request.render.as) };
}

function replicasErrors(replicas: number): FieldError[] {
  return replicas < 0 ? [invalid('spec.replicas', replicas, 'must be greater than or equal to 0')] : [];
}
