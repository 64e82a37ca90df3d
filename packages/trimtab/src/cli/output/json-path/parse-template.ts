/** A step of an expression: takes a list of values and returns another one. */
export type Step =
  | { step: 'text'; text: string }
  | { step: 'value'; value: number | boolean }
  | { step: 'field'; name: string }
  | { step: 'slice'; from?: number; to?: number; by?: number; isIndex: boolean }
  | { step: 'union'; members: Step[][] }
  | { step: 'filter'; left: Step[]; operator: string; right: Step[] }
  | { step: 'wildcard' }
  | { step: 'recursive' }
  | { step: 'identifier'; name: string };

/** What is wrong with a template, in kubectl's words. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/**
 * Parses a template into its texts and expressions, in order. The grammar and its messages are those of
 * k8s.io/client-go/util/jsonpath, with its peculiarities: `['a.b']` is `.a.b`, and `[]` is the first element.
 */
export function parseTemplate(template: string): Step[][] {
  const parsed: Step[][] = [];
  let at = 0;
  while (at < template.length) {
    const brace = template.indexOf('{', at);
    const text = template.slice(at, brace === -1 ? undefined : brace);
    if (text !== '') parsed.push([{ step: 'text', text }]);
    if (brace === -1) break;
    const parser = new ExpressionParser(template, brace + 1);
    parsed.push(parser.parse());
    at = parser.at;
  }
  return parsed;
}

function parseExpression(text: string): Step[] {
  return new ExpressionParser(`${text}}`, 0).parse();
}

class ExpressionParser {
  readonly #input: string;
  readonly #steps: Step[] = [];
  at: number;

  constructor(input: string, start: number) {
    this.#input = input;
    this.at = start;
  }

  /** Parses up to the brace that closes the expression; `at` is the position after it. */
  parse(): Step[] {
    while (!this.#takes('}')) this.#steps.push(...this.#parseSteps());
    return this.#steps;
  }

  #parseSteps(): Step[] {
    if (this.#takes('[?(')) return [this.#filter()];
    if (this.#takes('..')) return this.#recursive();
    const start = this.at;
    const character = this.#next();
    if (character === undefined || /[\r\n]/.test(character)) throw new TemplateError('unclosed action');
    if (/[ @$]/.test(character)) return [];
    if (character === '[') return this.#brackets();
    if (character === '"' || character === "'") return [this.#quote(start, character)];
    if (character === '.') return [this.#field()];
    if (/[-+]|\p{Nd}/u.test(character)) return [this.#number(start)];
    if (isAlphanumeric(character)) return [this.#identifier(start)];
    throw new TemplateError(`unrecognized character in action: ${JSON.stringify(character)}`);
  }

  #recursive(): Step[] {
    if (this.#steps.at(-1)?.step === 'recursive')
      throw new TemplateError('invalid multiple recursive descent');
    const following = this.#peek();
    const isField = following !== undefined && isAlphanumeric(following);
    return [{ step: 'recursive' }, ...(isField ? [this.#field()] : [])];
  }

  #field(): Step {
    const start = this.at;
    for (let next = this.#peek(); next !== undefined && !isTerminator(next); next = this.#peek()) {
      this.#next();
      // An escaped character is part of the name, even a dot.
      if (next === '\\') this.#next();
    }
    const name = this.#input.slice(start, this.at);
    return name === '*' ? { step: 'wildcard' } : { step: 'field', name: name.replaceAll('\\', '') };
  }

  #identifier(start: number): Step {
    for (let next = this.#peek(); next !== undefined && !isTerminator(next); next = this.#peek())
      this.#next();
    const name = this.#input.slice(start, this.at);
    const isBoolean = name === 'true' || name === 'false';
    return isBoolean ? { step: 'value', value: name === 'true' } : { step: 'identifier', name };
  }

  #number(start: number): Step {
    while (/[.\p{Nd}]/u.test(this.#peek() ?? '')) this.#next();
    const text = this.#input.slice(start, this.at);
    const value = /^[-+]?(\d+(\.\d*)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isNaN(value)) throw new TemplateError(`cannot parse number ${text}`);
    return { step: 'value', value };
  }

  #quote(start: number, quote: string): Step {
    for (;;) {
      const next = this.#next();
      if (next === undefined || next === '\n') throw new TemplateError('unterminated quoted string');
      if (next === quote && this.#input[this.at - 2] !== '\\') break;
    }
    return { step: 'text', text: unquote(this.#input.slice(start, this.at), quote) };
  }

  #brackets(): Step[] {
    const end = this.#input.indexOf(']', this.at);
    const inside = this.#input.slice(this.at, end === -1 ? undefined : end);
    if (end === -1 || inside.includes('\n')) throw new TemplateError('unterminated array');
    this.at = end + 1;
    const members = inside.split(',');
    if (members.length === 1) return subscript(inside);
    const parsed = members.map((each) => parseExpression(`[${each.replace(/^ +| +$/g, '')}]`));
    return [{ step: 'union', members: parsed }];
  }

  #filter(): Step {
    const start = this.at;
    let quote: string | undefined;
    let isQuoteClosed = false;
    for (;;) {
      const next = this.#next();
      if (next === undefined || next === '\n') throw new TemplateError('unterminated filter');
      if (next === '"' || next === "'") {
        if (quote === undefined) quote = next;
        else if (next === quote && this.#input[this.at - 2] !== '\\') isQuoteClosed = true;
      } else if (next === ')' && (quote === undefined || isQuoteClosed)) break;
    }
    const text = this.#input.slice(start, this.at - 1);
    if (!this.#takes(']')) throw new TemplateError('unclosed array expect ]');
    const [, left, operator = 'exists', right] = /^([^!<>=]+)([!<>=]+)(.+?)$/s.exec(text) ?? [];
    return {
      step: 'filter',
      left: parseExpression(left ?? text),
      operator,
      right: right === undefined ? [] : parseExpression(right),
    };
  }

  #takes(prefix: string): boolean {
    if (!this.#input.startsWith(prefix, this.at)) return false;
    this.at += prefix.length;
    return true;
  }

  #peek(): string | undefined {
    const code = this.#input.codePointAt(this.at);
    return code === undefined ? undefined : String.fromCodePoint(code);
  }

  #next(): string | undefined {
    const character = this.#peek();
    this.at += character?.length ?? 0;
    return character;
  }
}

/** What stands in brackets without a comma: a key in single quotes, an index, a slice, or `*`. */
function subscript(inside: string): Step[] {
  const key = /^'([^']*)'$/.exec(inside)?.[1];
  if (key !== undefined) return parseExpression(`.${key}`);
  const slice = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(inside === '*' ? ':' : inside);
  if (slice === null) throw new TemplateError(`invalid array index ${inside}`);
  const [from, to, by] = slice.slice(1).map((text) => bound(text?.replace(':', '')));
  return [
    {
      step: 'slice',
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(by !== undefined && { by }),
      isIndex: slice[2] === undefined,
    },
  ];
}

function bound(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (text === '-') throw new TemplateError(`array index ${text} is not a number`);
  return Number(text);
}

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

/** Reads the escapes of a Go string, such as `\n` and `\u00e9`, in double or single quotes. */
function unquote(quoted: string, quote: string): string {
  const problem = new TemplateError(`unquote string ${quoted} error invalid syntax`);
  return quoted
    .slice(1, -1)
    .replace(/\\(x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8}|[0-7]{3}|.|$)/gis, (_, escaped: string) => {
      const code = /^[xuU](?=.)/.test(escaped)
        ? Number.parseInt(escaped.slice(1), 16)
        : /^[0-7]{3}$/.test(escaped)
          ? Number.parseInt(escaped, 8)
          : undefined;
      if (code !== undefined && code <= 0x10ffff) return String.fromCodePoint(code);
      const character = escaped === quote ? quote : escapes[escaped];
      if (character === undefined) throw problem;
      return character;
    });
}

function isTerminator(character: string): boolean {
  return /[ \t\r\n.,[\]$@{}]/.test(character);
}

function isAlphanumeric(character: string): boolean {
  return /^[_\p{L}\p{Nd}]$/u.test(character);
}
