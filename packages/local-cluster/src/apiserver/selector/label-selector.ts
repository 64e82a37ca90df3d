import { type FieldError, invalid } from '../errors/field-error.ts';
import { badRequest } from '../errors/status-error.ts';
import { labelValue, qualifiedName } from '../meta/names.ts';
import { labelTokens, type Token, type TokenKind } from './label-tokens.ts';

type Operator = 'exists' | '!' | '=' | '==' | '!=' | '>' | '<' | 'in' | 'notin';

interface Requirement {
  key: string;
  operator: Operator;
  values: string[];
}

type Labels = Readonly<Record<string, string>>;
export type LabelSelector = (labels: Labels) => boolean;

/** Parses `app=web,tier in (a,b),!old`; undefined for a selector that matches everything. Throws a StatusError. */
export function parseLabelSelector(text: string): LabelSelector | undefined {
  const requirements = new Parser(labelTokens(text)).requirements();
  if (requirements.length === 0) return undefined;
  return (labels) => requirements.every((each) => matches(each, labels));
}

function matches({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case '=':
    case '==':
    case 'in':
      return value !== undefined && values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case '>':
    case '<': {
      if (value === undefined || !/^[+-]?\d+$/.test(value)) return false;
      const limit = Number(values[0]);
      return operator === '>' ? Number(value) > limit : Number(value) < limit;
    }
  }
}

const binary: TokenKind[] = ['in', 'notin', '=', '==', '!=', '>', '<'];

class Parser {
  readonly #tokens: Token[];
  #at = 0;

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  requirements(): Requirement[] {
    const found: Requirement[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.kind === 'end') return found;
      if (token.kind !== 'identifier' && token.kind !== '!')
        throw badRequest(`found '${token.text}', expected: !, identifier, or 'end of string'`);
      found.push(this.#requirement());
      const next = this.#take();
      if (next.kind === 'end') return found;
      if (next.kind !== ',') throw badRequest(`found '${next.text}', expected: ',' or 'end of string'`);
      const after = this.#peek();
      if (after.kind !== 'identifier' && after.kind !== '!')
        throw badRequest(`found '${after.text}', expected: identifier after ','`);
    }
  }

  #requirement(): Requirement {
    let token = this.#take();
    const negated = token.kind === '!';
    if (negated) token = this.#take();
    if (token.kind !== 'identifier') throw unparsable(`found '${token.text}', expected: identifier`);
    const key = token.text;
    check(qualifiedName(key).map((each) => invalid('<nil>', key, each)));
    if (negated) return { key, operator: '!', values: [] };
    const next = this.#peek().kind;
    if (next === 'end' || next === ',') return { key, operator: 'exists', values: [] };
    const operator = this.#take('operator');
    if (!binary.includes(operator.kind as TokenKind))
      throw unparsable(`found '${operator.text}', expected: in, notin, =, ==, !=, gt, lt`);
    const isSet = operator.kind === 'in' || operator.kind === 'notin';
    const values = isSet ? this.#values() : [this.#exactValue()];
    checkValues(key, operator.kind as Operator, values);
    return { key, operator: operator.kind as Operator, values };
  }

  #exactValue(): string {
    const next = this.#peek().kind;
    if (next === 'end' || next === ',') return '';
    const token = this.#take();
    if (token.kind !== 'identifier') throw unparsable(`found '${token.text}', expected: identifier`);
    return token.text;
  }

  #values(): string[] {
    const open = this.#take();
    if (open.kind !== '(') throw unparsable(`found '${open.text}' expected: '('`);
    const values: string[] = [];
    for (let wanted: 'value' | 'comma' = 'value'; ; ) {
      const token = this.#take();
      if (token.kind === ')') {
        if (wanted === 'value') values.push('');
        return [...new Set(values)];
      }
      if (token.kind === 'identifier' && wanted === 'value') {
        values.push(token.text);
        wanted = 'comma';
      } else if (token.kind === ',') {
        if (wanted === 'value') values.push('');
        wanted = 'value';
      } else {
        const expected = wanted === 'comma' ? `',' or ')'` : `',', ')' or identifier`;
        throw unparsable(`found '${token.text}', expected: ${expected}`);
      }
    }
  }

  /** In the place of a value, `in` and `notin` are identifiers. */
  #peek(context: 'value' | 'operator' = 'value'): Token {
    const token = this.#tokens[this.#at] ?? { kind: 'end', text: '' };
    const isWord = token.kind === 'in' || token.kind === 'notin';
    return isWord && context === 'value' ? { kind: 'identifier', text: token.text } : token;
  }

  #take(context: 'value' | 'operator' = 'value'): Token {
    const token = this.#peek(context);
    this.#at++;
    return token;
  }
}

function checkValues(key: string, operator: Operator, values: string[]): void {
  if (operator === '>' || operator === '<') {
    const [value = ''] = values;
    if (!/^[+-]?\d+$/.test(value))
      check([invalid('values[0]', value, "for 'Gt', 'Lt' operators, the value must be an integer")]);
  }
  check(
    values.flatMap((value, index) =>
      labelValue(value).map((each) => invalid(`values[${index}][${key}]`, value, each)),
    ),
  );
}

function check(errors: FieldError[]): void {
  if (errors.length === 0) return;
  const lines = errors.map(({ field, body }) => `${field}: ${body}`);
  throw unparsable(lines.length === 1 ? (lines[0] ?? '') : `[${lines.join(', ')}]`);
}

function unparsable(why: string): Error {
  return badRequest(`unable to parse requirement: ${why}`);
}
