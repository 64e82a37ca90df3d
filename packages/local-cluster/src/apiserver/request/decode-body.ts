import { type JsonScan, scanJson } from '@trimtab/kube/json/scan-json.ts';
import { badRequest } from '../errors/status-error.ts';
import { apiVersionOf, type Codec, type Kind } from '../kinds/kind.ts';
import { type ApiObject, isObject } from '../object.ts';
import { ProtobufProblem } from '../protobuf/wire.ts';
import { goJsonError } from '../schema/go-json-error.ts';
import { DecodeError, jsonKind } from '../schema/scalars.ts';
import { type BodyText, bodyText, unrecognized } from './body.ts';
import type { FieldValidation } from './options.ts';
import { otherKindProblem } from './other-kind.ts';
import { YamlProblem } from './yaml-body.ts';

export interface Decoded {
  object: ApiObject;
  /** Unknown and duplicate fields, unless field validation is Ignore. */
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

/** Decodes the body of a create or update. Throws a StatusError. */
export function decodeBody(body: Buffer, type: string, target: Target, validation: FieldValidation): Decoded {
  const { json, duplicates } = readText(body, type, target.kind);
  const { value, scan } = parse(json, body, target.kind);
  const { kind, apiVersion } = typeOf(value, body, target);
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const refuse = (why: string) =>
    badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${target.kind}: ${why}`);
  if (apiVersion.split('/').length > 2)
    throw unrecognized(target.kind, `unexpected GroupVersion string: ${apiVersion} (${excerpt(body)})`);
  if (target.checkType !== undefined) target.checkType(kind, apiVersion);
  else if (kind !== target.kind || apiVersion !== target.apiVersion)
    throw refuse(otherKindProblem({ kind, apiVersion }, value, target));
  const { object, problems } = decodeObject(value, target, refuse, (unknown) =>
    validation === 'Ignore' ? [] : strictProblems(json, unknown, scan, target.sortsUnknown),
  );
  if (validation === 'Ignore') return { object, warnings: [] };
  const twice = duplicates.length > 0 ? [`yaml: unmarshal errors:\n  ${duplicates.join('\n  ')}`] : [];
  if (twice.length + problems.length > 0 && validation === 'Strict')
    throw refuse(`strict decoding error: ${[...twice, ...problems].join(', ')}`);
  return { object, warnings: [...duplicates, ...problems] };
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

/** Returns the unknown and duplicate fields, in the order of the text. */
export function strictProblems(
  json: string,
  unknown: readonly string[],
  { duplicates }: Pick<JsonScan, 'duplicates'>,
  sorted = false,
): string[] {
  if (unknown.length === 0 && duplicates.length === 0) return [];
  const { positions } = scanJson(json, { wanted: new Set(unknown) });
  const found = unknown.map((path, index) => ({
    at: sorted ? json.length + index : (positions.get(path) ?? 0),
    text: `unknown field ${JSON.stringify(path)}`,
  }));
  // A duplicate field that is unknown is reported as unknown only.
  for (const { path, at } of duplicates)
    if (!unknown.includes(path)) found.push({ at, text: `duplicate field ${JSON.stringify(path)}` });
  return [...new Set(found.sort((a, b) => a.at - b.at).map(({ text }) => text))];
}

export function readText(body: Buffer, type: string, kind: string): BodyText {
  try {
    return bodyText(body, type);
  } catch (error) {
    const isOurs = error instanceof YamlProblem || error instanceof ProtobufProblem;
    throw isOurs ? unrecognized(kind, `${error.message} (${excerpt(body)})`) : error;
  }
}

function parse(json: string, body: Buffer, kind: string): { value: unknown; scan: JsonScan } {
  try {
    const value: unknown = JSON.parse(json);
    const scan = scanJson(json);
    if (scan.tooDeep !== undefined)
      throw unrecognized(
        kind,
        `couldn't get version/kind; json parse error: invalid character '${scan.tooDeep}' exceeded max depth (${excerpt(body)})`,
      );
    return { value, scan };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unrecognized(
      kind,
      `couldn't get version/kind; json parse error: ${goJsonError(body)} (${excerpt(body)})`,
    );
  }
}

const header =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function typeOf(value: unknown, body: Buffer, target: Target): { kind: string; apiVersion: string } {
  const refuse = (why: string) =>
    unrecognized(
      target.kind,
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${why} (${excerpt(body)})`,
    );
  if (value === null) return target;
  if (!isObject(value)) throw refuse(`${jsonKind(value)} into Go value of type ${header}`);
  for (const key of ['kind', 'apiVersion'])
    if (value[key] !== undefined && value[key] !== null && typeof value[key] !== 'string')
      throw refuse(`${jsonKind(value[key])} into Go struct field .${key} of type string`);
  return {
    kind: (value['kind'] as string) || target.kind,
    apiVersion: (value['apiVersion'] as string) || target.apiVersion,
  };
}

/** Start of the body as received: as text when it looks like JSON, otherwise in hex. */
function excerpt(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  const shown = body.subarray(0, excerptBytes).toString(body[0] === 0x7b ? 'utf8' : 'hex');
  return body.length > excerptBytes ? `${shown} ...` : shown;
}

const excerptBytes = 30;
