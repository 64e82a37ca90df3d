/** An invalid field, in the terms of Kubernetes' field errors. */
export interface Problem {
  type:
    | 'Required value'
    | 'Invalid value'
    | 'Unsupported value'
    | 'Too long'
    | 'Too many'
    | 'Duplicate value'
    | 'Forbidden';
  /** Path such as `spec.size`; empty for the whole object. */
  field: string;
  /** Undefined when the message shows no value. */
  value?: unknown;
  detail: string;
  /** The object violates its schema in a way that prevents the evaluation of CEL rules. */
  blocks: boolean;
  /** The type or the date is wrong. Kubernetes reports the reason FieldValueTypeInvalid, without a text for it. */
  isOfWrongType?: boolean;
  /** Reported for unchanged values as well: the rule compares with the old value, or its evaluation failed. */
  holdsAlways?: boolean;
  /** The violation existed before the update; it is reported as a warning. */
  isOld?: boolean;
}

const reasons: Record<Problem['type'], string> = {
  'Required value': 'FieldValueRequired',
  'Invalid value': 'FieldValueInvalid',
  'Unsupported value': 'FieldValueNotSupported',
  'Too long': 'FieldValueTooLong',
  'Too many': 'FieldValueTooMany',
  'Duplicate value': 'FieldValueDuplicate',
  Forbidden: 'FieldValueForbidden',
};

export function reasonOf({ type, isOfWrongType }: Problem): string {
  return isOfWrongType === true ? 'FieldValueTypeInvalid' : reasons[type];
}

export function required(field: string): Problem {
  return { type: 'Required value', field, detail: '', blocks: true };
}

export function invalid(field: string, value: unknown, detail: string): Problem {
  return { type: 'Invalid value', field, value, detail, blocks: false };
}

/** The message for a value of the wrong type shows its type in place of the value. */
export function wrongType(field: string, found: unknown, wanted: string): Problem {
  const type = typeName(found);
  const detail = `${field} in body must be of type ${wanted}: ${JSON.stringify(type)}`;
  return { type: 'Invalid value', field, value: type, detail, blocks: true, isOfWrongType: true };
}

export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** `spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1` */
export function sentence({ type, field, value, detail }: Problem): string {
  const shown = value === undefined ? '' : `: ${JSON.stringify(value)}`;
  const text = detail === '' ? '' : `: ${detail}`;
  return `${field === '' ? '<nil>' : field}: ${type}${shown}${text}`;
}
