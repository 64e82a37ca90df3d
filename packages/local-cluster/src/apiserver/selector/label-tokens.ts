export type TokenKind =
  | 'identifier'
  | 'end'
  | '('
  | ')'
  | ','
  | '!'
  | '='
  | '=='
  | '!='
  | '>'
  | '<'
  | 'in'
  | 'notin';

export interface Token {
  kind: TokenKind | 'error';
  text: string;
}

const operators = ['==', '!=', '(', ')', ',', '!', '=', '>', '<'] as const;

/** Splits a label selector into tokens. */
export function labelTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    if (/[ \t\r\n]/.test(text[at] ?? '')) {
      at++;
      continue;
    }
    const operator = operators.find((each) => text.startsWith(each, at));
    if (operator !== undefined) {
      tokens.push({ kind: operator, text: operator });
      at += operator.length;
      continue;
    }
    const start = at;
    while (at < text.length && !/[ \t\r\n=!(),<>]/.test(text[at] ?? '')) at++;
    const word = text.slice(start, at);
    tokens.push({ kind: word === 'in' || word === 'notin' ? word : 'identifier', text: word });
  }
  tokens.push({ kind: 'end', text: '' });
  return tokens;
}
