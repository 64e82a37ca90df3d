import { type Step, TemplateError } from './parse-template.ts';

/** Applies the steps of an expression to values. A missing key results in no value, not in an error. */
export function evaluate(steps: readonly Step[], values: readonly unknown[]): readonly unknown[] {
  return steps.reduce((found, step) => take(step, found), values);
}

function take(step: Step, values: readonly unknown[]): readonly unknown[] {
  switch (step.step) {
    case 'text':
      return [step.text];
    case 'value':
      return values.map(() => step.value);
    case 'field':
      return values.flatMap((value) =>
        isObject(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [],
      );
    case 'slice':
      return values.flatMap((value) => (isNothing(value) ? [] : slice(step, value)));
    case 'union':
      return step.members.flatMap((member) => evaluate(member, values));
    case 'filter':
      return values.flatMap((value) => filter(step, value));
    case 'wildcard':
      return values.flatMap(childrenOf);
    case 'recursive':
      return descendantsOf(values);
    case 'identifier':
      throw new TemplateError(`unrecognized identifier ${step.name}`);
  }
}

function slice(step: Step & { step: 'slice' }, value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new TemplateError(`${typeName(value)} is not array or slice`);
  const { length } = value;
  const first = step.from ?? 0;
  const from = first < 0 ? first + length : first;
  const last = step.isIndex ? first + 1 : (step.to ?? length);
  const to = last < 0 || (last === 0 && step.isIndex) ? last + length : last;
  if (from === to) return [];
  for (const index of [from, to - 1])
    if (index < 0 || index >= length)
      throw new TemplateError(`array index out of bounds: index ${index}, length ${length}`);
  if (from > to) throw new TemplateError(`starting index ${from} is greater than ending index ${to}`);
  const by = step.by ?? 1;
  if (by <= 0) throw new TemplateError('step must be > 0');
  return value.slice(from, to).filter((_, index) => index % by === 0);
}

function filter({ left, operator, right }: Step & { step: 'filter' }, value: unknown): unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value))
    throw new TemplateError(`${typeName(value)} is not array or slice and cannot be filtered`);
  return value.filter((element) => {
    const lefts = evaluate(left, [element]);
    if (operator === 'exists') return lefts.length > 0;
    if (lefts.length === 0) return false;
    const rights = evaluate(right, [element]);
    if (lefts.length > 1 || rights.length > 1)
      throw new TemplateError('can only compare one element at a time');
    return rights.length === 1 && compare(lefts[0], operator, rights[0]);
  });
}

function compare(left: unknown, operator: string, right: unknown): boolean {
  switch (operator) {
    case '==':
      return equals(left, right);
    case '!=':
      return !equals(left, right);
    case '<':
      return isLess(left, right);
    case '<=':
      return isLess(left, right) || equals(left, right);
    case '>':
      return !isLess(left, right) && !equals(left, right);
    case '>=':
      return !isLess(left, right);
    default:
      throw new TemplateError(`unrecognized filter operator ${operator}`);
  }
}

function equals(left: unknown, right: unknown): boolean {
  requireSameType(left, right);
  return left === right;
}

function isLess(left: unknown, right: unknown): boolean {
  requireSameType(left, right);
  if (typeof left === 'number' && typeof right === 'number') return left < right;
  if (typeof left === 'string' && typeof right === 'string')
    return Buffer.compare(Buffer.from(left), Buffer.from(right)) < 0;
  throw new TemplateError('invalid type for comparison');
}

/** A whole number is an integer and not comparable with a fraction, as in Go. */
function requireSameType(left: unknown, right: unknown): void {
  const [one, other] = [comparableType(left), comparableType(right)];
  if (one === undefined || other === undefined) throw new TemplateError('invalid type for comparison');
  if (one !== other) throw new TemplateError('incompatible types for comparison');
}

function comparableType(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'float';
  return typeof value === 'string' || typeof value === 'boolean' ? typeof value : undefined;
}

/** The elements of a list, the values of an object, or the bytes of a string. */
function childrenOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (isObject(value)) return Object.values(value);
  return typeof value === 'string' ? [...Buffer.from(value)] : [];
}

/** The values themselves and everything below them, without what has no children. */
function descendantsOf(values: readonly unknown[]): unknown[] {
  return values.flatMap((value) => {
    const children = childrenOf(value);
    return children.length === 0 ? [] : [value, ...descendantsOf(children)];
  });
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typeName(value: unknown): string {
  return value === null ? 'null' : typeof value;
}
