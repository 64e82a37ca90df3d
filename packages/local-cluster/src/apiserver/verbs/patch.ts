import { scanJson } from '@trimtab/kube/json/scan-json.ts';
import { invalid, invalidObject } from '../errors/field-error.ts';
import { badRequest, StatusError, tooLarge, unsupportedMediaType } from '../errors/status-error.ts';
import type { ApiObject } from '../object.ts';
import { isObject } from '../object.ts';
import { goText } from '../patch/go-text.ts';
import { jsonPatch, type Operation } from '../patch/json-patch.ts';
import { mergePatch } from '../patch/merge-patch.ts';
import { PatchProblem } from '../patch/patch-problem.ts';
import { strategicMergePatch } from '../patch/strategic-merge-patch.ts';
import { renderObject } from '../representation/render.ts';
import { mediaType, readBody } from '../request/body.ts';
import { strictProblems, type Target, targetOf } from '../request/decode-body.ts';
import { type WriteOptions, writeOptions } from '../request/options.ts';
import { otherKindProblem } from '../request/other-kind.ts';
import { goJsonError } from '../schema/go-json-error.ts';
import { DecodeError } from '../schema/scalars.ts';
import type { Type } from '../schema/type.ts';
import { apply, applyType } from './apply.ts';
import { checkName, updateObject } from './update.ts';
import type { Answer, VerbRequest } from './verb-request.ts';

const maxOperations = 10_000;

const patchTypes = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
} as const;

const patchTypesOfCustom = ['application/json-patch+json', 'application/merge-patch+json', applyType];

/** A parsed patch. */
export interface Patch {
  apply(current: unknown): unknown;
  /** Text of a strategic patch for errors; undefined for other patches, whose errors show the result. */
  shown: string | undefined;
  /** Text of the patch, to find duplicate fields. */
  text: string;
}

export async function patch(request: VerbRequest): Promise<Answer> {
  const { kind, query, incoming, info, render } = request;
  const text = (await readBody(incoming)).toString('utf8');
  const type = mediaType(incoming);
  if (type === applyType) return apply(request, text);
  const patchType = patchTypeOf(type, kind.codec.type);
  const options = writeOptions(query, 'PatchOptions');
  const change = readPatch(text, patchType, kind.codec.type);
  let warned = false;
  const updated = await updateObject(
    request,
    options,
    (old) => {
      const { object, warnings } = patched(old, change, targetOf(kind), options);
      if (!warned) request.warnings.push(...warnings);
      warned = true;
      checkName(object, info.name ?? '');
      if ((object.metadata.namespace ?? '') !== (old.metadata.namespace ?? ''))
        throw badRequest(
          'the namespace of the provided object does not match the namespace sent on the request',
        );
      return object;
    },
    'patch',
  );
  return { code: 200, body: renderObject(kind, updated, render) };
}

type PatchType = (typeof patchTypes)[keyof typeof patchTypes];

/** Throws a StatusError for an unsupported media type. `type` is undefined for kinds without strategic merge patch. */
export function patchTypeOf(contentType: string, type: Type | undefined): PatchType {
  const found = (patchTypes as Record<string, PatchType | undefined>)[contentType];
  if (found === 'strategic' && type === undefined) throw unsupportedMediaType(patchTypesOfCustom);
  if (found === undefined)
    throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  return found;
}

/** Parses a patch. Throws a StatusError. */
export function readPatch(text: string, patchType: PatchType, type: Type | undefined): Patch {
  const prefix = patchType === 'strategic' ? '' : 'error decoding patch: ';
  const value = parse(text, prefix);
  if (patchType === 'json') {
    if (!Array.isArray(value))
      throw badRequest(`${prefix}${cannotUnmarshal(value, '[]handlers.jsonPatchOp')}`);
    if (value.length > maxOperations)
      throw tooLarge(
        `Request entity too large: The allowed maximum operations in a JSON patch is ${maxOperations}, got ${value.length}`,
      );
    const operations = value.map(operation);
    return { apply: (current) => jsonPatch(current, operations), shown: undefined, text };
  }
  if (!isObject(value)) throw badRequest(`${prefix}${cannotUnmarshal(value, 'map[string]interface {}')}`);
  if (patchType === 'merge')
    return { apply: (current) => mergePatch(current, value), shown: undefined, text };
  return {
    apply: (current) => strategicMergePatch(current, value, type as Type),
    shown: goText(value),
    text,
  };
}

function operation(value: unknown): Operation {
  const { op, path, from, value: given } = isObject(value) ? value : {};
  return {
    op: typeof op === 'string' ? op : 'unknown',
    path: typeof path === 'string' ? path : '',
    ...(typeof from === 'string' && { from }),
    ...(given !== undefined && { value: given }),
  };
}

function parse(text: string, prefix: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    const { tooDeep } = scanJson(text);
    if (tooDeep !== undefined) throw badRequest(`${prefix}invalid character '${tooDeep}' exceeded max depth`);
    return value;
  } catch (error) {
    throw error instanceof SyntaxError ? badRequest(`${prefix}${goJsonError(text)}`) : error;
  }
}

function cannotUnmarshal(value: unknown, go: string): string {
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${found} into Go value of type ${go}`;
}

/** Applies a patch and decodes the result like any request body. */
export function patched(
  old: unknown,
  change: Patch,
  target: Target,
  { fieldValidation }: WriteOptions,
): { object: ApiObject; warnings: string[] } {
  const result = applied(old, change);
  const refuse = (why: string) =>
    invalidObject({ group: '', kind: '' }, '', [
      invalid('patch', change.shown ?? JSON.stringify(result), why),
    ]);
  const unknown: string[] = [];
  const object = decodePatched(result, target, unknown, change, refuse);
  if (fieldValidation === 'Ignore') return { object, warnings: [] };
  const problems = strictProblems(
    JSON.stringify(result),
    unknown,
    scanJson(change.text),
    target.sortsUnknown,
  );
  if (problems.length > 0 && fieldValidation === 'Strict')
    throw refuse(`strict decoding error: ${problems.join(', ')}`);
  return { object, warnings: problems };
}

function applied(old: unknown, change: Patch): unknown {
  try {
    return change.apply(old);
  } catch (error) {
    if (!(error instanceof PatchProblem)) throw error;
    if (change.shown !== undefined) throw new StatusError(500, undefined, error.message);
    throw new StatusError(
      422,
      'Invalid',
      'the server rejected our request due to an error in our request',
      {},
    );
  }
}

function decodePatched(
  result: unknown,
  target: Target,
  unknown: string[],
  change: Patch,
  refuse: (why: string) => Error,
): ApiObject {
  const said = isObject(result) ? result : {};
  if (target.checkType !== undefined)
    target.checkType(String(said['kind'] ?? ''), String(said['apiVersion'] ?? ''));
  // A strategic patch is applied to the typed object, so Kubernetes ignores the kind that the patch names.
  else if (change.shown === undefined) {
    const kind = String(said['kind'] || target.kind);
    const apiVersion = String(said['apiVersion'] || target.apiVersion);
    if (kind !== target.kind || apiVersion !== target.apiVersion)
      throw refuse(otherKindProblem({ kind, apiVersion }, result, target));
  }
  try {
    return target.decode(result, unknown);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw refuse(change.shown === undefined ? error.message : error.inPatch);
  }
}
