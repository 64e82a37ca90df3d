import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expand } from './expand.ts';

const variables = new Map([
  ['A', 'apple'],
  ['B', '$(A)'],
  ['EMPTY', ''],
  ['a.b-c', 'dotted'],
]);
const lookUp = (name: string) => variables.get(name);

test.each([
  ['plain', 'plain'],
  ['$(A)', 'apple'],
  ['x$(A)y$(A)z', 'xappleyapplez'],
  ['$(B)', '$(A)'],
  ['$(EMPTY)|', '|'],
  ['$(a.b-c)', 'dotted'],
  ['$(UNKNOWN)', '$(UNKNOWN)'],
  ['$$(A)', '$(A)'],
  ['$$$(A)', '$apple'],
  ['$$$$(A)', '$$(A)'],
  ['$', '$'],
  ['$$', '$'],
  ['$A $[A] $ (A)', '$A $[A] $ (A)'],
  ['$(A', '$(A'],
  ['$(A$$', '$(A$'],
  ['$($(A))', '$($(A))'],
  ['$()', '$()'],
  ['$(A\n)', '$(A\n)'],
  ['100% of $(A) costs $5', '100% of apple costs $5'],
])('%j becomes %j', (text, expected) => {
  expect(expand(text, lookUp)).toBe(expected);
});

/** The same rules, implemented character by character. */
function slowly(text: string): string {
  let out = '';
  for (let at = 0; at < text.length; at++) {
    const next = text[at + 1];
    const end = text.indexOf(')', at);
    if (text[at] !== '$' || next === undefined) out += text[at];
    else if (next === '$') {
      out += '$';
      at++;
    } else if (next === '(' && end >= 0) {
      const name = text.slice(at + 2, end);
      out += lookUp(name) ?? `$(${name})`;
      at = end;
    } else out += '$';
  }
  return out;
}

test('every text of brackets, dollars and names is read as the rules say', () => {
  const pieces = fc.constantFrom('$', '(', ')', 'A', 'B', 'x', '$(A)', '$$', ' ', '\n', 'é', '😀');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      const text = parts.join('');
      expect(expand(text, lookUp)).toBe(slowly(text));
    }),
  );
});

test('a value that was meant to hang the kubelet does not', () => {
  const many = '$('.repeat(500_000);
  expect(expand(many, lookUp)).toBe(many);
  expect(expand(`$(A)${many}`, lookUp)).toBe(`apple${many}`);
});
