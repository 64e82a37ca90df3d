import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { Refusal } from '../../versions/refusal.ts';
import { type BodyFormat, bodyFormat } from './content-type.ts';
import { parseBody, refuseDuplicates } from './parse-body.ts';

function parse(text: string, format: BodyFormat) {
  return parseBody(Buffer.from(text), format);
}

test.each([
  ['a body that ends too early', 'json', '{"data":{"password":"hunter2"', 'line 1, column 30'],
  ['a comma too many', 'json', '{\n"a": 1,\n}', 'line 3, column 1'],
  ['deep nesting', 'json', '['.repeat(200), 'more than 100 levels'],
  ['deep nesting', 'yaml', '['.repeat(20_000), 'more than 100 levels'],
  ['a broken indentation', 'yaml', 'data:\n   a: 1\n  password: hunter2', 'at line'],
  ['two documents', 'yaml', 'a: 1\n---\nb: 2\n', 'several YAML documents'],
  ['a tag', 'yaml', 'a: !!binary hunter2', 'TAG_RESOLVE_FAILED at line 1'],
  ['a list as key', 'yaml', '? [a]\n: b', 'NON_STRING_KEY'],
  ['an alias of nothing', 'yaml', 'a: *b', 'aliases'],
  ['an alias of itself', 'yaml', '&a [*a]', 'aliases'],
  ['too many keys', 'yaml', 'a: b\n'.repeat(20_000), 'send it as JSON'],
  [
    '20,000 aliases',
    'yaml',
    `a: &a 1\nb: [${'*a,'.repeat(20_000)}]`,
    'more than 50 YAML anchors and aliases',
  ],
  ['9,000 anchors', 'yaml', '- &a 1\n'.repeat(9_000), 'more than 50 YAML anchors and aliases'],
  ['deep lists on one line', 'yaml', `${'- '.repeat(5_000)}a`, 'more than 100 levels'],
  ['deep keys on one line', 'yaml', `${'? '.repeat(5_000)}a`, 'more than 100 levels'],
  ['deep maps', 'yaml', nestedMaps(1_000), 'more than 100 levels'],
  ['many documents', 'yaml', '---\n'.repeat(20_000), 'several YAML documents'],
  ['a million bad escapes', 'yaml', `a: "${'\\q'.repeat(700_000)}"`, 'BAD_DQ_ESCAPE at line 1, column 5'],
  ['a text of 3 MB', 'yaml', `a: ${'x'.repeat(3_000_000)}`, 'send it as JSON'],
  ['a million blank lines in a text', 'yaml', `a: >+\n${'\n'.repeat(1_500_000)}`, 'send it as JSON'],
  ['a million lines in quotes', 'yaml', `a: "${'\n'.repeat(1_500_000)} hunter2"`, 'send it as JSON'],
  ['a list of a million items', 'json', `[${'1,'.repeat(1_000_000)}1]`, 'more than 100000 values'],
  [
    '49 aliases of 1 MB',
    'yaml',
    `a: &a ${'x'.repeat(1_000_000)}\nb: [${'*a,'.repeat(49)}]`,
    'expand to themselves or to more than 3145728 characters',
  ],
  [
    'aliases of aliases of 50 kB',
    'yaml',
    `a: &a [${'x'.repeat(50_000)}]\nb: &b [${'*a,'.repeat(8)}]\nc: [${'*b,'.repeat(8)}]`,
    'more than 3145728 characters',
  ],
  [
    'aliases of 10,000 items',
    'yaml',
    `a: &a [${'xxxxxxx,'.repeat(10_000)}]\nb: [${'*a,'.repeat(40)}]`,
    'more than 3145728 characters',
  ],
  [
    'aliases that nest deeper and deeper',
    'yaml',
    `a: &a ${'['.repeat(60)}${']'.repeat(60)}\nb: ${'['.repeat(60)}*a${']'.repeat(60)}`,
    'more than 100 levels',
  ],
  [
    'a billion laughs',
    'yaml',
    [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      'b: &b [*a,*a,*a,*a,*a,*a,*a,*a]',
      'c: &c [*b,*b,*b,*b,*b,*b,*b,*b]',
      'd: [*c,*c,*c,*c,*c,*c,*c,*c]',
    ].join('\n'),
    'aliases in the body expand to too many nodes',
  ],
] as const)('%s (%s) is refused without quoting it', (_, format, text, why) => {
  const refusal = thrown(() => parse(text, format));
  expect(refusal.body).toMatchObject({ code: 400, reason: 'BadRequest' });
  expect(refusal.message).toContain(why);
  expect(refusal.message).not.toContain('hunter2');
});

const many = Object.fromEntries(Array.from({ length: 13_000 }, (_, n) => [`key-${n}`, `${n}`]));

test('JSON that is sent as YAML has the limits of JSON', () => {
  const text = JSON.stringify({ metadata: { name: 'foo' }, data: many });
  expect(parse(text, 'yaml')).toEqual({ value: JSON.parse(text), duplicates: [] });
  expect(parse('{"metadata":{"version":1.10},"metadata":{}}', 'yaml').duplicates).toEqual(['metadata']);
  expect(parse('{metadata: {version: 1.10}}', 'yaml').value).toEqual({ metadata: { version: '1.10' } });
});

test.each([
  ['one', 'a: &m {x: 1, y: 2}\nb: {<<: *m, z: 3}', { x: 1, y: 2, z: 3 }],
  ['an inline one', 'b: {<<: {x: 1}, z: 3}', { x: 1, z: 3 }],
  ['a list, whose first one wins', 'a: [&m {x: 1}, &n {x: 2, y: 2}]\nb: {<<: [*m, *n]}', { x: 1, y: 2 }],
  ['one that is overridden', 'a: &m {x: 1}\nb: {<<: *m, x: 2}', { x: 2 }],
  // API servers use a parser in which a merge overrides the keys before it.
  ['one that overrides', 'a: &m {x: 1}\nb: {x: 2, <<: *m}', { x: 1 }],
  ['one that overrides a number', 'a: &m {"80": 1}\nb: {80: 2, <<: *m}', { 80: 1 }],
  ['one that a number overrides', 'a: &m {"80": 1}\nb: {<<: *m, 80: 2}', { 80: 2 }],
  ['merges of merges', 'a: [&m {x: 1}, &n {<<: *m, y: 2}]\nb: {<<: *n}', { x: 1, y: 2 }],
])('merges are resolved as in API servers: %s', (_, text, b) => {
  expect(parse(text, 'yaml').value).toMatchObject({ b });
  expect(Object.keys((parse(text, 'yaml').value as { b: object }).b)).not.toContain('<<');
});

test.each([
  ['of a text', 'b: {<<: text}', 'needs a map'],
  ['of itself', 'a: &a {<<: *a}', 'aliases'],
  [
    'that doubles 16 times',
    `m0: &m0 {x: 1}\n${Array.from({ length: 16 }, (_, n) => `m${n + 1}: &m${n + 1} {<<: [*m${n}, *m${n}]}\n`).join('')}b: {<<: *m16}`,
    'aliases',
  ],
])('a merge %s is refused', (_, text, why) => {
  expect(thrown(() => parse(text, 'yaml')).message).toContain(why);
});

test('bytes that are not UTF-8 are refused', () => {
  expect(thrown(() => parseBody(Buffer.from([0x7b, 0xff]), 'json')).message).toContain('UTF-8');
});

test.each([
  ['json', '{"data":{"a":"1","a":"2"}}'],
  ['yaml', 'data:\n  a: "1"\n  a: "2"\n'],
  ['yaml', 'data: {a: "1", "a": "2"}'],
] as const)('a key that stands twice in %s is named: %s', (format, text) => {
  const refusal = thrown(() => refuseDuplicates(parse(text, format)));
  expect(refusal.body.code).toBe(400);
  expect(refusal.message).toContain('duplicate field "data.a"');
});

test('whatever is sent as YAML, the result is a value or a 400', () => {
  const pieces = fc.constantFrom(
    ...['a: ', '- ', '? ', ': ', '[', ']', '{', '}', ',', '\n', '  ', '\t', '&x ', '*x ', '!!str ', '!t '],
    ...[
      '|\n',
      '>-\n',
      '"',
      "'",
      '\\',
      '\\u00',
      '---\n',
      '...\n',
      '%YAML 1.1\n',
      '#',
      '<<: ',
      'b',
      '1',
      '\u0000',
      '\ufeff',
    ],
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (all) => {
      try {
        parse(all.join(''), 'yaml');
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        expect(error.body.code).toBe(400);
      }
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  ['json', `{${'"d":1,'.repeat(90_000)}"${'k'.repeat(1_000_000)}":{"a":1,"a":1,"a":1}}`],
  ['yaml', 'd: 1\n'.repeat(10_000)],
  ['yaml', `"${'k'.repeat(1_000)}": 1\n`.repeat(1_000)],
] as const)('of many duplicate keys in %s, ten are named', (format, text) => {
  const refusal = thrown(() => refuseDuplicates(parse(text, format)));
  expect(refusal.message.match(/duplicate field/g)).toHaveLength(10);
  expect(refusal.message.length).toBeLessThan(3_000);
});

test.each([
  [
    '10,000 keys',
    { data: Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`key-${n}`, `${n}`])) },
  ],
  ['a text of 1 MiB', { data: { 'app.yaml': 'server:\n  port: 8080\n'.repeat(45_000) } }],
  ['100 levels', JSON.parse(`${'{"a":'.repeat(99)}[]${'}'.repeat(99)}`) as object],
])('%s are read as YAML', (_, value) => {
  expect(parse(stringify(value), 'yaml')).toEqual({ value, duplicates: [] });
});

test('a text with some aliases is read', () => {
  const text = 'x'.repeat(60_000);
  const { value } = parse(`a: &a ${text}\nb: &b {c: *a}\nd: [${'*b,'.repeat(40)}]`, 'yaml');
  expect(value).toEqual({ a: text, b: { c: text }, d: Array.from({ length: 40 }, () => ({ c: text })) });
});

test.each(['json', 'yaml'] as const)(
  'keys that JavaScript gives a meaning are keys like any other in %s',
  (format) => {
    const { value } = parse('{"data":{"__proto__":"a","constructor":"b","toString":"c"}}', format);
    const { data } = value as { data: Record<string, string> };
    expect(Object.entries(data)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['toString', 'c'],
    ]);
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
    expect(({} as { a?: string }).a).toBeUndefined();
  },
);

test('an empty body is no value, whatever its format', () => {
  expect(parse(' \n', 'json').value).toBeUndefined();
  expect(parse('# nothing\n---\n', 'yaml').value).toBeUndefined();
});

test.each(['json', 'yaml'] as const)(
  'null in %s is a value, and no options for a DELETE of all versions',
  (format) => {
    expect(parse('null\n', format).value).toBeNull();
  },
);

test('both formats carry every text', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string({ unit: 'grapheme' })), (data) => {
      expect(parse(JSON.stringify(data), 'json').value).toEqual({ ...data });
      expect(parse(stringify(data, { schema: 'core' }), 'yaml').value).toEqual({ ...data });
    }),
    { numRuns: 100 },
  );
});

test.each([
  [{}, 'json'],
  [{ 'content-type': 'application/json; charset=UTF-8' }, 'json'],
  [{ 'content-type': 'application/yaml' }, 'yaml'],
  [{ 'content-type': 'TEXT/YAML;charset=utf-8' }, 'yaml'],
] as const)('%j is %s', (headers, format) => {
  expect(bodyFormat(headers)).toBe(format);
});

test.each([
  [{ 'content-type': 'application/vnd.kubernetes.protobuf' }, 'unknown format'],
  [{ 'content-type': 'constructor' }, 'unknown format'],
  [{ 'content-type': 'application/json; charset=latin1' }, 'charset'],
  [{ 'content-encoding': 'gzip' }, 'encoding'],
])('%j is a 415', (headers, why) => {
  const refusal = thrown(() => bodyFormat(headers));
  expect(refusal.body).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' });
  expect(refusal.message).toContain(why);
});

function nestedMaps(levels: number): string {
  return Array.from({ length: levels }, (_, level) => `${' '.repeat(level)}a:\n`).join('');
}

function thrown(work: () => unknown): Refusal {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
