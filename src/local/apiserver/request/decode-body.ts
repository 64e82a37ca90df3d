import { badRequest } from '../errors/status-error.ts';
import { apiVersionOf, type Codec, type Kind } from '../kinds/kind.ts';
import { type ApiObject, isObject } from '../object.ts';
import { ProtobufProblem } from '../protobuf/wire.ts';
import { definitions } from '../schema/definitions.ts';
import { goJsonError } from '../schema/go-json-error.ts';
import { DecodeError } from '../schema/scalars.ts';
import { type Scan, scanJson } from '../schema/scan-json.ts';
import { jsonText, unrecognized, YamlProblem } from './body.ts';
import type { FieldValidation } from './options.ts';

export interface Decoded {
  object: ApiObject;
  /** Fields that the server does not keep, unless nobody wants to know. */
  warnings: string[];
}

export interface Target {
  kind: string;
  apiVersion: string;
  decode(body: unknown, unknown: string[]): ApiObject;
  checkType?: Codec['checkType'];
  sortsUnknown?: boolean;
}

export function targetOf(kind: Kind): Target {
  return { kind: kind.kind, apiVersion: apiVersionOf(kind), ...kind.codec };
}

/** The object in a body of a create or update. Throws a StatusError. */
export function decodeBody(body: Buffer, type: string, target: Target, validation: FieldValidation): Decoded {
  const json = asJson(body, type, target.kind);
  const { value, scan } = parse(json, target.kind);
  const { kind, apiVersion } = typeOf(value, json, target);
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const refuse = (why: string) =>
    badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${target.kind}: ${why}`);
  if (apiVersion.split('/').length > 2)
    throw unrecognized(target.kind, `unexpected GroupVersion string: ${apiVersion} (${excerpt(json)})`);
  if (target.checkType !== undefined) target.checkType(kind, apiVersion);
  else if (kind !== target.kind || apiVersion !== target.apiVersion)
    throw refuse(
      isKnownKind(apiVersion, kind)
        ? `converting (${version}.${kind}) to (${internalPackage(target.apiVersion)}.${target.kind}): unknown conversion`
        : `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  const { object, problems } = decodeObject(value, target, refuse, (unknown) =>
    validation === 'Ignore' ? [] : strictProblems(json, unknown, scan, target.sortsUnknown),
  );
  if (problems.length > 0 && validation === 'Strict')
    throw refuse(`strict decoding error: ${problems.join(', ')}`);
  return { object, warnings: problems };
}

function decodeObject(
  body: unknown,
  target: Target,
  refuse: (why: string) => Error,
  strict: (unknown: string[]) => string[],
): { object: ApiObject; problems: string[] } {
  const unknown: string[] = [];
  try {
    const object = target.decode(body ?? {}, unknown);
    return { object, problems: strict(unknown) };
  } catch (error) {
    throw error instanceof DecodeError ? refuse(error.message) : error;
  }
}

/** Unknown and duplicate fields, in the order in which they stand in the text. */
export function strictProblems(
  json: string,
  unknown: readonly string[],
  { duplicates }: Scan,
  sorted = false,
): string[] {
  if (unknown.length === 0 && duplicates.length === 0) return [];
  const { positions } = scanJson(json, new Set(unknown));
  const found = unknown.map((path, index) => ({
    at: sorted ? json.length + index : (positions.get(path) ?? 0),
    text: `unknown field ${JSON.stringify(path)}`,
  }));
  // A field that is unknown is unknown once, however often it is there.
  for (const { path, at } of duplicates)
    if (!unknown.includes(path)) found.push({ at, text: `duplicate field ${JSON.stringify(path)}` });
  return [...new Set(found.sort((a, b) => a.at - b.at).map(({ text }) => text))];
}

export function asJson(body: Buffer, type: string, kind: string): string {
  try {
    return jsonText(body, type);
  } catch (error) {
    const isOurs = error instanceof YamlProblem || error instanceof ProtobufProblem;
    throw isOurs ? unrecognized(kind, `${error.message} (${hex(body)})`) : error;
  }
}

function parse(json: string, kind: string): { value: unknown; scan: Scan } {
  try {
    const value: unknown = JSON.parse(json);
    const scan = scanJson(json);
    if (scan.tooDeep !== undefined)
      throw unrecognized(
        kind,
        `couldn't get version/kind; json parse error: invalid character '${scan.tooDeep}' exceeded max depth (${excerpt(json)})`,
      );
    return { value, scan };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unrecognized(
      kind,
      `couldn't get version/kind; json parse error: ${goJsonError(json)} (${excerpt(json)})`,
    );
  }
}

const header =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function typeOf(body: unknown, json: string, target: Target): { kind: string; apiVersion: string } {
  const refuse = (why: string, shown: string) =>
    unrecognized(
      target.kind,
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${why} (${shown})`,
    );
  if (body === null) return target;
  if (!isObject(body)) {
    const found = Array.isArray(body) ? 'array' : typeof body === 'boolean' ? 'bool' : typeof body;
    throw refuse(`${found} into Go value of type ${header}`, hex(json));
  }
  for (const key of ['kind', 'apiVersion'])
    if (body[key] !== undefined && body[key] !== null && typeof body[key] !== 'string')
      throw refuse(`${typeof body[key]} into Go struct field .${key} of type string`, excerpt(json));
  return {
    kind: (body['kind'] as string) || target.kind,
    apiVersion: (body['apiVersion'] as string) || target.apiVersion,
  };
}

function excerpt(text: string): string {
  if (text === '') return '<empty>';
  if (!text.trimStart().startsWith('{')) return hex(text);
  return text.length > 30 ? `${text.slice(0, 30)} ...` : text;
}

function hex(body: string | Buffer): string {
  const bytes = Buffer.from(body);
  return bytes.length > 30 ? `${bytes.subarray(0, 30).toString('hex')} ...` : bytes.toString('hex');
}

function isKnownKind(apiVersion: string, kind: string): boolean {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return Object.values(definitions).some((node) =>
    node['x-kubernetes-group-version-kind']?.some(
      (each) => each.group === group && each.version === version && each.kind === kind,
    ),
  );
}

/** Go's package of the types without a version: `core`, `apps`, `rbac`. */
function internalPackage(apiVersion: string): string {
  return apiVersion.includes('/') ? (apiVersion.split(/[./]/)[0] ?? '') : 'core';
}
