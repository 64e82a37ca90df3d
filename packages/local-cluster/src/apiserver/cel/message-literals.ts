/** An expression in which message literals are calls, as the parser of the CEL library knows no message literals. */
export interface Rewritten {
  text: string;
  /** Messages that the expression creates, with the position of their opening brace in the expression. */
  messages: { name: string; at: number }[];
  /** Maps a position in `text` to the position in the expression. */
  original(position: number): number;
}

interface Edit {
  at: number;
  insert: string;
}

interface Bracket {
  is: 'message' | 'map' | 'other';
  start: number;
  /** The key of an optional entry begins here: everything up to the colon is its key. */
  inOptionalKey: boolean;
  isWrapped: boolean;
}

/** Comments, strings, identifiers with dots, single characters. */
const tokens =
  /\/\/[^\n]*|[rRbB]{0,2}(?:"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*|[\s\S]/g;

/**
 * Rewrites `Name{field: value}` to `cel__message(Name, {field: value})`, and maps with optional entries such as
 * `{?'key': value}` to `cel__map({cel__optional('key'): value})`. messages.ts defines these calls.
 */
export function rewriteMessages(expression: string): Rewritten {
  const edits: Edit[] = [];
  const messages: Rewritten['messages'] = [];
  const open: Bracket[] = [];
  let name: { text: string; start: number; end: number } | undefined;
  let before = '';
  const add = (at: number, insert: string) => void edits.push({ at, insert });
  for (const { 0: token, index } of expression.matchAll(tokens)) {
    if (/^\s|^\/\//.test(token)) continue;
    const top = open.at(-1);
    if (token === '{') {
      if (name !== undefined) {
        messages.push({ name: name.text, at: index });
        add(name.start, 'cel__message(');
        add(name.end, ',');
      }
      open.push({
        is: name === undefined ? 'map' : 'message',
        start: index,
        inOptionalKey: false,
        isWrapped: false,
      });
    } else if (token === '(' || token === '[')
      open.push({ is: 'other', start: index, inOptionalKey: false, isWrapped: false });
    else if (token === '}' || token === ')' || token === ']') {
      const closed = open.pop();
      if (closed?.is === 'message' || closed?.isWrapped === true) add(index + 1, ')');
    } else if (token === '?' && top !== undefined && top.is !== 'other' && /^[{,]$/.test(before)) {
      if (top.is === 'map' && !top.isWrapped) {
        add(top.start, 'cel__map(');
        top.isWrapped = true;
      }
      top.inOptionalKey = true;
      // The question mark is dropped by making it the end of the call's name.
      add(index, optionalMark);
    } else if (token === ':' && top?.inOptionalKey === true) {
      top.inOptionalKey = false;
      add(index, ')');
    }
    name =
      /^[A-Za-z_][\w.\s]*$/.test(token) && token !== 'in'
        ? { text: token.replaceAll(/\s/g, ''), start: index, end: index + token.length }
        : undefined;
    before = token;
  }
  return { text: applied(expression, edits), messages, original: (position) => positionIn(edits, position) };
}

/** Replaces the question mark that follows it. */
const optionalMark = 'cel__optional(';

function applied(expression: string, edits: Edit[]): string {
  edits.sort((a, b) => a.at - b.at);
  let text = '';
  let done = 0;
  for (const { at, insert } of edits) {
    text += expression.slice(done, at) + insert;
    done = insert === optionalMark ? at + 1 : at;
  }
  return text + expression.slice(done);
}

function positionIn(edits: readonly Edit[], position: number): number {
  let shift = 0;
  for (const { at, insert } of edits) {
    if (position < at + shift) break;
    const length = insert.length - (insert === optionalMark ? 1 : 0);
    if (position < at + shift + insert.length) return at;
    shift += length;
  }
  return position - shift;
}
