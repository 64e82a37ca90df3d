/**
 * Returns the error message of Go's JSON decoder, which clients and users know. Only called for texts that JSON.parse
 * refuses.
 */
export function goJsonError(given: string | Buffer): string {
  // Go's decoder works on bytes and prints each byte as the character with that code.
  const text = Buffer.from(given).toString('latin1');
  const checker = new Checker(text);
  try {
    checker.space();
    checker.value('looking for beginning of value');
    checker.space();
    if (checker.at < text.length) checker.fail('after top-level value');
  } catch (error) {
    if (error instanceof SyntaxProblem) return error.message;
    if (error instanceof RangeError) return 'exceeded max depth';
    throw error;
  }
  return 'invalid JSON';
}

class SyntaxProblem extends Error {}

class Checker {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  fail(context: string): never {
    const character = this.#text[this.at];
    // At the end of the text Go's decoder checks a virtual space, which is invalid inside of literals and numbers.
    if (character === undefined && !/literal|escape/.test(context.replace('string literal', '')))
      throw new SyntaxProblem('unexpected end of JSON input');
    throw new SyntaxProblem(`invalid character ${quoted(character ?? ' ')} ${context}`);
  }

  space(): void {
    while (/[ \t\r\n]/.test(this.#text[this.at] ?? '')) this.at++;
  }

  value(context: string): void {
    const character = this.#text[this.at] ?? '';
    if (character === '{') this.#object();
    else if (character === '[') this.#list();
    else if (character === '"') this.#string();
    else if (character === 't') this.#literal('true');
    else if (character === 'f') this.#literal('false');
    else if (character === 'n') this.#literal('null');
    else if (/[-0-9]/.test(character)) this.#number();
    else this.fail(context);
  }

  #object(): void {
    this.at++;
    this.space();
    if (this.#text[this.at] === '}') return void this.at++;
    for (;;) {
      if (this.#text[this.at] !== '"') this.fail('looking for beginning of object key string');
      this.#string();
      this.space();
      if (this.#text[this.at] !== ':') this.fail('after object key');
      this.at++;
      this.space();
      this.value('looking for beginning of value');
      this.space();
      if (this.#text[this.at] === '}') return void this.at++;
      if (this.#text[this.at] !== ',') this.fail('after object key:value pair');
      this.at++;
      this.space();
    }
  }

  #list(): void {
    this.at++;
    this.space();
    if (this.#text[this.at] === ']') return void this.at++;
    for (;;) {
      this.value('looking for beginning of value');
      this.space();
      if (this.#text[this.at] === ']') return void this.at++;
      if (this.#text[this.at] !== ',') this.fail('after array element');
      this.at++;
      this.space();
    }
  }

  #string(): void {
    for (this.at++; this.#text[this.at] !== '"'; this.at++) {
      if ((this.#text.charCodeAt(this.at) || 0x20) < 0x20) this.fail('in string literal');
      if (this.at >= this.#text.length) this.fail('');
      if (this.#text[this.at] !== '\\') continue;
      this.at++;
      if (this.#text[this.at] === 'u') this.#hex();
      else if (!/["\\/bfnrt]/.test(this.#text[this.at] ?? '')) this.fail('in string escape code');
    }
    this.at++;
  }

  #hex(): void {
    for (let digit = 0; digit < 4; digit++) {
      this.at++;
      if (!/[0-9a-fA-F]/.test(this.#text[this.at] ?? '')) this.fail('in \\u hexadecimal character escape');
    }
  }

  #literal(word: string): void {
    for (let index = 1; index < word.length; index++) {
      this.at++;
      if (this.#text[this.at] !== word[index]) this.fail(`in literal ${word} (expecting '${word[index]}')`);
    }
    this.at++;
  }

  #number(): void {
    if (this.#text[this.at] === '-') this.at++;
    if (this.#text[this.at] === '0') this.at++;
    else this.#digits('in numeric literal');
    if (this.#text[this.at] === '.') {
      this.at++;
      this.#digits('after decimal point in numeric literal');
    }
    if (/[eE]/.test(this.#text[this.at] ?? '')) {
      this.at++;
      if (/[+-]/.test(this.#text[this.at] ?? '')) this.at++;
      this.#digits('in exponent of numeric literal');
    }
  }

  #digits(context: string): void {
    if (!/\d/.test(this.#text[this.at] ?? '')) this.fail(context);
    while (/\d/.test(this.#text[this.at] ?? '')) this.at++;
  }
}

const escapes: Record<string, string> = {
  "'": "\\'",
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\u000b': '\\v',
  '\f': '\\f',
  '\r': '\\r',
};

function quoted(character: string): string {
  const code = character.charCodeAt(0);
  const hex = code.toString(16);
  if (escapes[character] !== undefined) return `'${escapes[character]}'`;
  if (code < 0x20 || code === 0x7f) return `'\\x${hex.padStart(2, '0')}'`;
  const isHidden = (code > 0x7f && code <= 0xa0) || code === 0xad;
  return isHidden ? `'\\u${hex.padStart(4, '0')}'` : `'${character}'`;
}
