import { StatusError } from './status-error.ts';

/** An error of one field, with the texts of Kubernetes' field.Error. */
export interface FieldError {
  reason: string;
  field: string;
  /** Everything after `field: `. */
  body: string;
}

export function required(field: string, detail = ''): FieldError {
  return { reason: 'FieldValueRequired', field, body: withDetail('Required value', detail) };
}

export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, body: withDetail(`Invalid value: ${shown(value)}`, detail) };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueDuplicate', field, body: `Duplicate value: ${shown(value)}` };
}

/** Supported values are listed in the given order; callers sort them where Kubernetes does. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const detail =
    supported.length > 0
      ? `supported values: ${supported.map((each) => JSON.stringify(each)).join(', ')}`
      : '';
  return {
    reason: 'FieldValueNotSupported',
    field,
    body: withDetail(`Unsupported value: ${shown(value)}`, detail),
  };
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { reason: 'FieldValueForbidden', field, body: withDetail('Forbidden', detail) };
}

export function fieldNotFound(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueNotFound', field, body: `Not found: ${shown(value)}` };
}

export function tooLong(field: string, maxBytes: number): FieldError {
  const detail = maxBytes >= 0 ? `may not be more than ${maxBytes} bytes` : 'value is too long';
  return { reason: 'FieldValueTooLong', field, body: `Too long: ${detail}` };
}

/** Returns the 422 that lists all errors of an object. */
export function invalidObject(
  type: { group: string; kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const full = type.group === '' ? type.kind : `${type.kind}.${type.group}`;
  const lines = unique(errors.map(({ field, body }) => (field === '' ? body : `${field}: ${body}`)));
  const list = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`;
  return new StatusError(422, 'Invalid', `${full} ${JSON.stringify(name)} is invalid: ${list}`, {
    ...(name !== '' && { name }),
    ...(type.group !== '' && { group: type.group }),
    ...(type.kind !== '' && { kind: type.kind }),
    causes: errors.map(({ reason, field, body }) => ({ reason, message: body, field })),
  });
}

function unique(lines: string[]): string[] {
  return [...new Set(lines)];
}

function withDetail(text: string, detail: string): string {
  return detail === '' ? text : `${text}: ${detail}`;
}

/** Prints a value as Go's %q and encoding/json do. */
function shown(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  return JSON.stringify(value);
}
