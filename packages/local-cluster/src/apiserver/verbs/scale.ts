import { invalid, invalidObject } from '../errors/field-error.ts';
import { notFound } from '../errors/status-error.ts';
import { defineKind } from '../kinds/define-kind.ts';
import { apiVersionOf, type Kind } from '../kinds/kind.ts';
import { checkConfig } from '../managed-fields/apply-write.ts';
import { dnsSubdomain } from '../meta/names.ts';
import { type ApiObject, clone } from '../object.ts';
import { selectorText } from '../representation/columns.ts';
import { renderJson } from '../representation/render.ts';
import { readConfig } from '../request/apply-config.ts';
import { mediaType, readBody } from '../request/body.ts';
import { decodeBody, targetOf } from '../request/decode-body.ts';
import { type WriteOptions, writeOptions } from '../request/options.ts';
import { parseObject } from '../storage/object-text.ts';
import { applyType, updateApplied } from './apply.ts';
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

/** Served as a subresource only. */
const scaleKind = defineKind<Scale>({
  group: 'autoscaling',
  kind: 'Scale',
  plural: 'scales',
  definition: 'io.k8s.api.autoscaling.v1.Scale',
  strategy: { nameRule: dnsSubdomain },
  columns: [],
});

function scaleOf({ custom, scaleSelector }: Kind, object: ApiObject): Scale {
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
      selector: scaleSelector?.(object) ?? selectorText(spec.selector),
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
  return write(request, options, () => object as Scale);
}

export async function patchScale(request: VerbRequest): Promise<Answer> {
  const { query, incoming } = request;
  if (mediaType(incoming) === applyType) return applyScale(request);
  const patchType = patchTypeOf(mediaType(incoming), scaleKind.codec.type);
  const options = writeOptions(query, 'PatchOptions');
  const text = (await readBody(incoming)).toString('utf8');
  const change = readPatch(text, patchType, scaleKind.codec.type);
  return write(
    request,
    options,
    (old) => patched(scaleOf(request.kind, old), change, targetOf(scaleKind), options).object as Scale,
    'patch',
  );
}

async function write(
  request: VerbRequest,
  options: WriteOptions,
  next: (old: ApiObject) => Scale,
  how?: 'patch',
): Promise<Answer> {
  const change = (old: ApiObject) => {
    const { metadata, spec } = next(old);
    checkReplicas(metadata.name ?? '', spec.replicas ?? 0);
    const object = clone(old) as Scalable;
    setReplicas(request.kind, object, spec.replicas ?? 0);
    object.metadata.resourceVersion = metadata.resourceVersion ?? '';
    return object;
  };
  return answer(request, await updateObject(ofParent(request), options, change, how));
}

/** Applies a Scale as a config of the parent object that sets nothing but the replicas. */
async function applyScale(request: VerbRequest): Promise<Answer> {
  const { kind, query, incoming } = request;
  const text = (await readBody(incoming)).toString('utf8');
  const options = writeOptions(query, 'PatchOptions', 'apply');
  const { value, ...rest } = readConfig(text, options.fieldValidation);
  checkConfig(scaleKind, value);
  const { metadata, spec } = value as { metadata?: object; spec?: { replicas?: number } };
  const config = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: metadata ?? {} } as ApiObject;
  if (spec?.replicas !== undefined) {
    checkReplicas(request.info.name ?? '', spec.replicas);
    setReplicas(kind, Object.assign(config, { spec: {} }), spec.replicas);
  }
  const ofObject = { ...rest, value: config as unknown as Record<string, unknown> };
  return answer(request, await updateApplied(ofParent(request), ofObject, options));
}

/** Converts the request to an update of the parent's spec, so the parent kind's rules apply. */
function ofParent(request: VerbRequest): VerbRequest {
  const { group, version, kind } = scaleKind;
  const shownAs = {
    subresource: 'scale',
    kind: { group, version, kind },
    convert: (object: ApiObject) => scaleOf(request.kind, object),
  };
  return { ...request, info: { ...request.info, subresource: '' }, shownAs };
}

function setReplicas({ custom }: Kind, object: ApiObject, replicas: number): void {
  if (custom?.scale === undefined) (object as Scalable).spec.replicas = replicas;
  else custom.scale.setReplicas(object, replicas);
}

function answer({ kind, render }: VerbRequest, text: string): Answer {
  return { code: 200, body: renderJson(scaleOf(kind, parseObject(text)), render.as) };
}

function checkReplicas(name: string, replicas: number): void {
  if (replicas >= 0) return;
  const error = invalid('spec.replicas', replicas, 'must be greater than or equal to 0');
  throw invalidObject(scaleKind, name, [error]);
}
