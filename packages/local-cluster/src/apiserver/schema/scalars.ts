import { canonicalQuantity, quantityProblem } from './quantity.ts';

/** The value does not have the required type; the message is that of Go's decoder. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
  /** Message for the same problem in a strategic merge patch, which Kubernetes decodes differently. */
  readonly inPatch: string;

  constructor(message: string, inPatch = message) {
    super(message);
    this.inPatch = inPatch;
  }
}

/** Location of a value in messages: the struct with the field, and the path from the root without indexes. */
export interface Place {
  struct: string;
  path: string;
}

export function mismatch(value: unknown, place: Place, go: string): DecodeError {
  const found = typeof value === 'number' && isNumeric(go) ? `number ${value}` : jsonKind(value);
  return new DecodeError(
    `json: cannot unmarshal ${found} into Go struct field ${place.struct}.${place.path} of type ${go}`,
    inPatch(value, go),
  );
}

function inPatch(value: unknown, go: string): string {
  const found = goKind(value);
  if (go.startsWith('map[')) return `cannot restore map from ${found}`;
  if (go.startsWith('[]')) return `cannot restore slice from ${found}`;
  if (go.includes('.')) return `cannot restore struct from: ${found}`;
  return `cannot convert ${found} to ${go}`;
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'object' ? 'map' : typeof value;
}

function isNumeric(go: string): boolean {
  return /^(int|float)/.test(go);
}

/** Name of the JSON type in messages of Go's decoder. */
export function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

export function decodeInteger(value: unknown, place: Place, go: string): number {
  if (typeof value !== 'number') throw mismatch(value, place, go);
  const limit = go === 'int32' ? 2 ** 31 : 2 ** 63;
  if (!Number.isInteger(value) || value >= limit || value < -limit) throw mismatch(value, place, go);
  return value;
}

export function decodeIntOrString(value: unknown, place: Place): number | string {
  return typeof value === 'string' ? value : decodeInteger(value, place, 'int32');
}

export function decodeQuantity(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  const quantity = typeof text === 'string' ? canonicalQuantity(text) : undefined;
  if (quantity === undefined) throw new DecodeError(quantityProblem);
  return quantity;
}

/** Times are stored in UTC with seconds; a MicroTime keeps six decimal places. */
export function decodeTime(value: unknown, place: Place, digits: 'seconds' | 'micros'): string {
  if (typeof value !== 'string') throw mismatch(value, place, 'string');
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/.exec(value);
  const moment = match === null ? Number.NaN : Date.parse(`${match[1]}${match[3]}`);
  const isExact = digits === 'seconds' || match?.[2]?.length === 6;
  if (Number.isNaN(moment) || !isExact) throw new DecodeError(timeProblem(value, digits));
  const seconds = new Date(moment).toISOString().slice(0, 19);
  return digits === 'seconds'
    ? `${seconds}Z`
    : `${seconds}.${(match?.[2] ?? '').padEnd(6, '0').slice(0, 6)}Z`;
}

function timeProblem(value: string, digits: 'seconds' | 'micros'): string {
  const layout = digits === 'seconds' ? '2006-01-02T15:04:05Z07:00' : '2006-01-02T15:04:05.000000Z07:00';
  const [rest, wanted] = unparsed(value, digits);
  const text = JSON.stringify(value);
  return `parsing time ${text} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(wanted)}`;
}

/** Returns the text where Go stops parsing, and the layout that it expects there; exact for common errors. */
function unparsed(value: string, digits: 'seconds' | 'micros'): [string, string] {
  const seconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(value)?.[0];
  if (seconds === undefined) return [value, '2006'];
  const rest = value.slice(seconds.length);
  if (digits === 'micros' && !/^\.\d{6}/.test(rest)) return [rest, '.000000'];
  return [rest.replace(digits === 'micros' ? /^\.\d{6}/ : /^\.\d+/, ''), 'Z07:00'];
}

export function decodeBytes(value: unknown, place: Place): string {
  if (typeof value !== 'string') throw mismatch(value, place, '[]uint8');
  const text = value.replace(/[\r\n]/g, '');
  const bad = text.search(/[^A-Za-z0-9+/=]/);
  const isWhole = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);
  if (!isWhole)
    throw new DecodeError(`illegal base64 data at input byte ${bad >= 0 ? bad : misplaced(text)}`);
  return text;
}

/** Position where Go's decoder stops when all characters are valid: at misplaced padding, or at the end. */
function misplaced(text: string): number {
  const padding = text.indexOf('=');
  return padding < 0 ? text.length - (text.length % 4) : padding;
}
