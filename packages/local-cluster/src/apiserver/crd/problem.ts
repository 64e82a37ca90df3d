/** A field that is wrong, in the terms of Kubernetes' field errors. */
export interface Problem {
  type:
    | 'Required value'
    | 'Invalid value'
    | 'Unsupported value'
    | 'Too long'
    | 'Too many'
    | 'Duplicate value'
    | 'Forbidden';
  /** `spec.size`; '' for the whole object. */
  field: string;
  /** Undefined where the sentence shows none. */
  value?: unknown;
  detail: string;
  /** The type or form of the object is wrong, so that rules in CEL can't be asked about it. */
  blocks: boolean;
  /** Its type, or a date, is none: Kubernetes has a reason of its own for it and no words. */
  isOfWrongType?: boolean;
  /** For unchanged values, too: the rule compares with what was before, or can't be asked. */
  holdsAlways?: boolean;
  /** It was so before, and is told as a warning. */
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

/** A value of another type shows that type in place of itself. */
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
