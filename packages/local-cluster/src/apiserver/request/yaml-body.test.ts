import { expect, test } from 'vitest';
import { readYaml } from './yaml-body.ts';

const aliases = (count: number) => `a: &a x\nb: [${Array.from({ length: count }, () => '*a').join(', ')}]\n`;

test('the aliases of a document are resolved', () => {
  expect(JSON.parse(readYaml(aliases(2)).json)).toEqual({ a: 'x', b: ['x', 'x'] });
});

test('thousands of aliases are refused before they are resolved', () => {
  expect(() => readYaml(aliases(501))).toThrow('yaml: document contains excessive aliasing');
});
