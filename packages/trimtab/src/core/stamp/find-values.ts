import { findComments } from './comments.ts';

/** The value of a key in a text, without its quotes. */
export interface FoundValue {
  start: number;
  end: number;
  text: string;
  isQuoted: boolean;
}

/** Not a part of a longer name; `app.key` and `--key` are the key, too. */
const before = String.raw`(?:(?<![\w$@/-])|(?<=(?:^|[\s"'[,=])--))`;
const quote = '["\'`]';
/** The anchor and the tag of a value in YAML. */
const properties = String.raw`(?:[&!][^\s"',\]}]*[ \t]+)*`;
const value = `${properties}(?:(?<quote>${quote})(?<quoted>(?:(?!\\k<quote>)[^\\r\\n])*)\\k<quote>|(?<bare>[^\\s,;}\\])<"'\`]*))`;
/** Not `==`, `=>`, `::`, nor the default of a shell variable, `${key:-1}`. */
const assigns = String.raw`[ \t]*(?::(?![=:~>?+-])|=(?![=~>]))[ \t]*`;
/** Between two members of an object: a comma or a line break, and comments. */
const gap = String.raw`(?:[\s,](?:(?:#|\/\/)[^\r\n]*(?=[\r\n]))?)+`;

/** `key: 1`, `"key": "1"`, `key=1`, `key := 1`, `'key' => 1`, `key: number = 1`, `<key>1</key>`. */
function pairPattern(key: string): RegExp {
  const separators = [
    `${quote}[ \\t]*=>`,
    `${quote}?\\]?(?:[ \\t]*(?:(?::[ \\t]*(?:number|string|bigint)[ \\t]*|[:?])=(?![=>]))|${assigns})`,
    `(?<=<${key})>`,
  ];
  return new RegExp(`${before}(?<key>${key})(?:${separators.join('|')})[ \\t]*${value}`, 'dgm');
}

/** A container's environment variable: `name: key` and `value: 1` are neighbours, in either order. */
function memberPatterns(key: string): RegExp[] {
  const name = `(?<![\\w.$@/-])(?<nameQuote>${quote}?)(?<name>name)\\k<nameQuote>${assigns}(?<keyQuote>${quote}?)(?<key>${key})\\k<keyQuote>`;
  const member = `(?<![\\w.$@/-])(?<memberQuote>${quote}?)(?<member>value)\\k<memberQuote>${assigns}${value}`;
  return [
    new RegExp(`${name}${gap}${member}`, 'dg'),
    new RegExp(`${member}${gap}${name}(?![\\w.$/-])`, 'dg'),
  ];
}

/** Finds the values of a key in a text of any format, in order. Comments are left out. */
export function findValues(text: string, key: string): FoundValue[] {
  const comments = findComments(text);
  const escaped = key.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const found = new Map<number, FoundValue>();
  for (const pattern of [pairPattern(escaped), ...memberPatterns(escaped)])
    for (const match of text.matchAll(pattern)) {
      const { key: at, name, member } = match.indices?.groups ?? {};
      if (at === undefined || found.has(at[0])) continue;
      if (comments.some(({ start, end }) => start <= at[0] && at[0] < end)) continue;
      if (name !== undefined && member !== undefined && !areSiblings(text, name[0], member[0])) continue;
      found.set(at[0], toValue(text, match));
    }
  return [...found.values()].sort((a, b) => a.start - b.start);
}

/** Counted from 1. */
export function lineOf(text: string, { start }: FoundValue): number {
  return text.slice(0, start).split('\n').length;
}

function toValue(text: string, match: RegExpMatchArray): FoundValue {
  const { quoted, bare } = match.indices?.groups ?? {};
  const [start, end] = quoted ?? bare ?? [0, 0];
  return { start, end, text: text.slice(start, end), isQuoted: quoted !== undefined };
}

/** In YAML, members of one object in different lines have the same column. JSON has quotes, and other formats have `=`. */
function areSiblings(text: string, name: number, member: number): boolean {
  if (!/^name[ \t]*:/.test(text.slice(name, name + 100))) return true;
  const lineStart = (at: number) => text.lastIndexOf('\n', at) + 1;
  return lineStart(name) === lineStart(member) || name - lineStart(name) === member - lineStart(member);
}
