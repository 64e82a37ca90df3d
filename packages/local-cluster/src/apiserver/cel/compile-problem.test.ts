import { expect, test } from 'vitest';
import type { StructuralSchema } from '../crd/structural-schema.ts';
import { checkRule } from './check.ts';

const schema: StructuralSchema = { type: 'object', properties: { a: { type: 'integer' } } };

test.each<[what: string, expression: string, problem: string]>([
  [
    'a field that is not there is marked as Kubernetes marks it',
    'self.z == 100',
    "ERROR: <input>:1:5: undefined field 'z'\n | self.z == 100\n | ....^",
  ],
  [
    'what is no CEL is a syntax error, with its place',
    'self.a = 42',
    'ERROR: <input>:1:8: Syntax error: unexpected character: =\n | self.a = 42\n | .......^',
  ],
  [
    'the line of several is told, and shown',
    'self.a == 1 &&\nself.z == 2',
    "ERROR: <input>:2:5: undefined field 'z'\n | self.z == 2\n | ....^",
  ],
])('%s', (_, expression, problem) => {
  expect(checkRule(expression, schema)).toEqual({ problem, isBool: false });
});
