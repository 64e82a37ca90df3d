import { expect, test } from 'vitest';
import { renderJsonPath } from './json-path.ts';

const pods = {
  kind: 'List',
  items: [
    {
      metadata: { name: 'web-1', labels: { 'app.kubernetes.io/name': 'web', tier: 'front' } },
      status: { ready: true, restarts: 4, load: 0.5, node: null },
      containers: [{ name: 'app' }, { name: 'proxy' }],
    },
    {
      metadata: { name: 'web-2', labels: { tier: 'back' } },
      status: { ready: false, restarts: 12 },
      containers: [{ name: 'app' }],
    },
  ],
  letters: ['a', 'b', 'c', 'd', 'e'],
  empty: [],
  html: { text: 'a<b>&"c"' },
};

test.each([
  ['text without an expression', 'hello', 'hello'],
  ['a field', '{.kind}', 'List'],
  ['a field of the root', '{$.kind}', 'List'],
  ['text around expressions', 'a{.kind}b{.kind}c', 'aListbListc'],
  ['a missing key', '<{.missing.below}>', '<>'],
  ['null', '{.items[0].status.node}', 'null'],
  ['a number', '{.items[0].status.restarts}', '4'],
  ['a fraction', '{.items[0].status.load}', '0.5'],
  ['a boolean', '{.items[1].status.ready}', 'false'],
  ['an object', '{.items[1].status}', '{"ready":false,"restarts":12}'],
  [
    'an object, with sorted keys',
    '{.items[0].metadata}',
    '{"labels":{"app.kubernetes.io/name":"web","tier":"front"},"name":"web-1"}',
  ],
  ['characters of HTML in an object', '{.html}', '{"text":"a\\u003cb\\u003e\\u0026\\"c\\""}'],
  ['characters of HTML in a value', '{.html.text}', 'a<b>&"c"'],
  ['a list', '{.letters}', '["a","b","c","d","e"]'],
  ['an index', '{.letters[1]}', 'b'],
  ['an index from the end', '{.letters[-1]}', 'e'],
  ['a slice', '{.letters[1:3]}', 'b c'],
  ['a slice without its start', '{.letters[:2]}', 'a b'],
  ['a slice without its end', '{.letters[3:]}', 'd e'],
  ['a slice from the end', '{.letters[-2:]}', 'd e'],
  ['a slice up to the last', '{.letters[0:-1]}', 'a b c d'],
  ['a slice with a step', '{.letters[0:5:2]}', 'a c e'],
  ['an empty slice', '{.letters[2:2]}', ''],
  ['all elements', '{.letters[*]}', 'a b c d e'],
  ['all elements of an empty list', '{.empty[*]}', ''],
  ['a field of all elements', '{.items[*].metadata.name}', 'web-1 web-2'],
  ['all values of an object', '{.items[1].status.*}', 'false 12'],
  ['an escaped dot', '{.items[0].metadata.labels.app\\.kubernetes\\.io/name}', 'web'],
  ['a key in brackets', "{.items[0]['metadata'].name}", 'web-1'],
  ['a path in brackets', "{.items[0]['metadata.name']}", 'web-1'],
  ['a key with escaped dots in brackets', "{..labels['app\\.kubernetes\\.io/name']}", 'web'],
  ['every field of this name', '{..name}', 'web-1 app proxy web-2 app'],
  ['a union of keys', "{.items[*]['metadata.name', 'status.ready']}", 'web-1 web-2 true false'],
  ['a union of indices', '{.letters[0,2,-1]}', 'a c e'],
  ['a filter by a string', '{.items[?(@.metadata.name=="web-2")].status.restarts}', '12'],
  ['a filter by a string in single quotes', "{.items[?(@.metadata.name=='web-2')].status.restarts}", '12'],
  ['a filter by inequality', '{.items[?(@.metadata.name!="web-2")].metadata.name}', 'web-1'],
  ['a filter by a boolean', '{.items[?(@.status.ready==true)].metadata.name}', 'web-1'],
  ['a filter with <', '{.items[?(@.status.restarts<12)].metadata.name}', 'web-1'],
  ['a filter with <=', '{.items[?(@.status.restarts<=12)].metadata.name}', 'web-1 web-2'],
  ['a filter with >', '{.items[?(@.status.restarts>4)].metadata.name}', 'web-2'],
  ['a filter with >=', '{.items[?(@.status.restarts >= 4)].metadata.name}', 'web-1 web-2'],
  ['a filter by existence', '{.items[?(@.status.load)].metadata.name}', 'web-1'],
  ['a filter of strings', '{.letters[?(@>"c")]}', 'd e'],
  ['a filter whose key is missing', '{.items[?(@.missing=="a")].metadata.name}', ''],
  ['a parenthesis in the string of a filter', '{.letters[?(@==")")]}', ''],
  ['a range', '{range .items[*]}{.metadata.name}={.status.ready}{"\\n"}{end}', 'web-1=true\nweb-2=false\n'],
  ['text after a range', '{range .letters[:2]}{@},{end}{.kind}', 'a,b,List'],
  [
    'a range in a range',
    '{range .items[*]}{.metadata.name}:{range .containers[*]} {.name}{end};{end}',
    'web-1: app proxy;web-2: app;',
  ],
  ['a range over nothing', '{range .empty[*]}{.a}{range .b[*]}{.c}{end}{end}after', 'after'],
  ['escapes in a string', '{"\\t\\u00e9\\x41\\101\\\\ \\""}', '\téAA\\ "'],
  ['a brace in a string', '{"{"}', '{'],
  ['a number as an expression', '{42}', '42'],
  ['spaces', '{ .kind }', 'List'],
])('%s: %s', (_, template, expected) => {
  expect(renderJsonPath(template, pods)).toBe(expected);
});

test.each([
  ['{.items', 'unclosed action'],
  ['{.items[0}', 'unterminated array'],
  ['{.items[a]}', 'invalid array index a'],
  ['{.items[-]}', 'array index - is not a number'],
  ['{.items[?(@.a==1}', 'unterminated filter'],
  ['{.items[?(@.a==1)}', 'unclosed array expect ]'],
  ['{.items[?(@.a=="b" && @.c=="d")]}', 'unrecognized character in action: "&"'],
  ['{"abc}', 'unterminated quoted string'],
  ['{"\\q"}', 'unquote string "\\q" error invalid syntax'],
  ['{%}', 'unrecognized character in action: "%"'],
  ['{.....name}', 'invalid multiple recursive descent'],
  ['{1.2.3}', 'cannot parse number 1.2.3'],
])('%s is refused: %s', (template, problem) => {
  expect(() => renderJsonPath(template, pods)).toThrow(`error parsing jsonpath ${template}, ${problem}`);
});

test.each([
  ['{kind}', 'unrecognized identifier kind'],
  ['{.kind[0]}', 'string is not array or slice'],
  ['{.kind[?(@.a)]}', 'string is not array or slice and cannot be filtered'],
  ['{.letters[5]}', 'array index out of bounds: index 5, length 5'],
  ['{.empty[-1]}', 'array index out of bounds: index -1, length 0'],
  ['{.letters[3:1]}', 'starting index 3 is greater than ending index 1'],
  ['{.letters[::0]}', 'step must be > 0'],
  ['{.items[?(@.status.restarts<>1)]}', 'unrecognized filter operator <>'],
  ['{.items[?(@.status.restarts=="4")]}', 'incompatible types for comparison'],
  ['{.items[?(@.status.restarts==4.5)]}', 'incompatible types for comparison'],
  ['{.items[?(@.status==1)]}', 'invalid type for comparison'],
  ['{.items[?(@.status.ready<true)]}', 'invalid type for comparison'],
  ['{.items[?(@..name=="a")]}', 'can only compare one element at a time'],
  ['{end}', 'not in range, nothing to end'],
])('%s does not fit the object: %s', (template, problem) => {
  expect(() => renderJsonPath(template, pods)).toThrow(`: ${problem}`);
});

test('an error never shows the object', () => {
  const secret = { data: { password: 'c3dvcmRmaXNo' } };
  expect(() => renderJsonPath('{.data[0]}', secret)).toThrow(/^(?!.*c3dvcmRmaXNo)/);
});
