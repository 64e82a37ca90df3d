import { describe, expect, test } from 'vitest';
import { sentence } from './problem.ts';
import { hasRules, ruleProblems } from './rules.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** The messages are those of kube-apiserver 1.36 for the same objects. */
const schema: StructuralSchema = {
  type: 'object',
  'x-kubernetes-validations': [
    { rule: "self.metadata.name.startsWith('t')", message: 'name must start with t' },
  ],
  properties: {
    spec: {
      type: 'object',
      'x-kubernetes-validations': [
        { rule: '!has(self.low) || self.low <= self.size', message: 'low above size' },
        {
          rule: 'self.size < 1000',
          message: 'size is too much',
          reason: 'FieldValueForbidden',
          fieldPath: '.size',
        },
      ],
      properties: {
        keep: {
          type: 'string',
          'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'keep is immutable' }],
        },
      },
    },
  },
};
const thing = (spec: object, name = 't') => ({ metadata: { name }, spec });
const said = (object: unknown, before?: unknown) => ruleProblems(schema, object, before).map(sentence);

describe('rules in CEL', () => {
  test('say nothing to what keeps them', () => {
    expect(said(thing({ size: 5, low: 5, keep: 'a' }))).toEqual([]);
  });

  test.each([
    [thing({ size: 5, low: 6 }), ['spec: Invalid value: low above size']],
    [thing({ size: 1500 }), ['spec.size: Forbidden: size is too much']],
    [thing({ size: 5 }, 'x'), ['<nil>: Invalid value: name must start with t']],
  ])('%j', (object, sentences) => {
    expect(said(object)).toEqual(sentences);
  });

  test('about a change are asked when there was something before', () => {
    const before = thing({ size: 5, keep: 'a' });
    expect(said(thing({ size: 5, keep: 'b' }), before)).toEqual([
      'spec.keep: Invalid value: "b": keep is immutable',
    ]);
    expect(said(thing({ size: 5, keep: 'a' }), before)).toEqual([]);
    expect(said(thing({ size: 5, keep: 'b' }))).toEqual([]);
  });

  test('are found wherever they stand', () => {
    expect(hasRules(schema)).toBe(true);
    expect(
      hasRules({ type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } }),
    ).toBe(false);
    expect(hasRules({ type: 'array', items: schema })).toBe(true);
  });
});

test('a key that is called like something of JavaScript is a key like any other', () => {
  const rules: StructuralSchema = {
    type: 'object',
    'x-kubernetes-validations': [{ rule: "!('constructor' in self) && !has(self.toString)", message: 'no' }],
  };
  expect(ruleProblems(rules, {}).map(sentence)).toEqual([]);
  expect(ruleProblems(rules, { constructor: 'x' })).toHaveLength(1);
});
