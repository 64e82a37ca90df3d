import { describe, expect, test } from 'vitest';
import type { ApiObject } from '../object.ts';
import { customValidation } from './custom-validation.ts';
import type { StructuralSchema } from './structural-schema.ts';

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer', maximum: 5 },
        colour: { type: 'string' },
        fixed: {
          type: 'string',
          'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'no change' }],
        },
      },
      'x-kubernetes-validations': [{ rule: "!has(self.colour) || self.colour != 'red'", message: 'not red' }],
    },
  },
};
const rules = customValidation('Thing', schema);
const thing = (spec: object, kind = 'Thing') =>
  ({ kind, apiVersion: 'example.com/v1', metadata: { name: 'a' }, spec }) as ApiObject;
const warnings: string[] = [];
const context = { warn: (message: string) => void warnings.push(message) } as Parameters<
  typeof rules.validate
>[1];
const told = (now: object, before?: object) =>
  (before === undefined
    ? rules.validate(thing(now), context)
    : rules.validateUpdate(thing(now), thing(before), context)
  ).map(({ field, body }) => `${field}: ${body}`);

const large = 'spec.size: Invalid value: 9: spec.size in body should be less than or equal to 5';

describe('an object of a definition whose rules became stricter', () => {
  test('is not created as it was', () => {
    expect(told({ size: 9 })).toEqual([large]);
  });

  test('can be changed elsewhere, and not be made worse', () => {
    expect(told({ size: 9, colour: 'green' }, { size: 9 })).toEqual([]);
    expect(told({ size: 9 }, { size: 8 })).toEqual([large]);
  });

  test('keeps a whole that breaks a rule as long as nothing in it changes', () => {
    expect(told({ colour: 'red' }, { colour: 'red' })).toEqual([]);
    expect(warnings).toEqual(['spec: Invalid value: not red']);
    expect(told({ colour: 'red', size: 1 }, { colour: 'red' })).toEqual(['spec: Invalid value: not red']);
  });
});

test('what cannot be changed cannot, and what has the wrong form is told before any rule', () => {
  expect(told({ fixed: 'b' }, { fixed: 'a' })).toEqual(['spec.fixed: Invalid value: "b": no change']);
  expect(told({ size: 'x', colour: 'red' })).toEqual([
    'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
    '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
  ]);
});

test('an object of another kind is none of these', () => {
  expect(rules.validate(thing({}, 'Other'), context)).toEqual([
    { reason: 'FieldValueInvalid', field: 'kind', body: 'Invalid value: "Other": must be Thing' },
  ]);
});
