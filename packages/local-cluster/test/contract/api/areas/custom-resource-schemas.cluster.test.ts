import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { badRequest, invalid, type Refusal, refused } from '../statuses.ts';
import { create, created } from '../widget-cases.ts';
import { groupOf, widget, widgetPath, widgets } from '../widgets.ts';

const bad: [why: string, spec: object, expected: Refusal][] = [
  [
    'a number below its minimum',
    { size: -1 },
    invalid(
      'Widget.NAMESPACE.example.com',
      'bad',
      'spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 0',
    ),
  ],
  [
    'a number above its maximum',
    { size: 101 },
    invalid(
      'Widget.NAMESPACE.example.com',
      'bad',
      'spec.size: Invalid value: 101: spec.size in body should be less than or equal to 100',
    ),
  ],
  [
    'a fraction',
    { size: 1.5 },
    invalid(
      'Widget.NAMESPACE.example.com',
      'bad',
      [
        'FieldValueTypeInvalid',
        'spec.size: Invalid value: "number": spec.size in body must be of type integer: "number"',
      ],
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.size',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ),
  ],
  [
    'a text for a number',
    { size: 'large' },
    invalid(
      'Widget.NAMESPACE.example.com',
      'bad',
      [
        'FieldValueTypeInvalid',
        'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
      ],
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ),
  ],
  [
    'null for a number',
    { size: null },
    invalid(
      'Widget.NAMESPACE.example.com',
      'bad',
      'spec.size: Required value',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ),
  ],
  [
    'a value out of its enumeration',
    { colour: 'blue' },
    invalid(
      'Widget.NAMESPACE.example.com',
      'bad',
      'spec.colour: Unsupported value: "blue": supported values: "red", "green"',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ),
  ],
  [
    'a text that its pattern refuses',
    { code: 'abc' },
    invalid(
      'Widget.NAMESPACE.example.com',
      'bad',
      `spec.code: Invalid value: "abc": spec.code in body should match '^[A-Z]{3}$'`,
    ),
  ],
  [
    'a text that is too long',
    { code: 'ABCD' },
    invalid(
      'Widget.NAMESPACE.example.com',
      'bad',
      'spec.code: Too long: may not be more than 3 bytes',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ),
  ],
  [
    'too many items',
    { tags: ['ta', 'tb', 'tc', 'td'] },
    invalid(
      'Widget.NAMESPACE.example.com',
      'bad',
      'spec.tags: Too many: 4: must have at most 3 items',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ),
  ],
  [
    'an item twice in a set',
    { tags: ['ta', 'ta'] },
    invalid('Widget.NAMESPACE.example.com', 'bad', 'spec.tags[1]: Duplicate value: "ta"'),
  ],
  [
    'a key twice in a list',
    { parts: [{ name: 'a' }, { name: 'a' }] },
    invalid('Widget.NAMESPACE.example.com', 'bad', 'spec.parts[1]: Duplicate value: {"name":"a"}'),
  ],
  [
    'an item without its key',
    { parts: [{ count: 1 }] },
    invalid(
      'Widget.NAMESPACE.example.com',
      'bad',
      'spec.parts[0].name: Required value',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ),
  ],
  [
    'too many properties',
    { labels: { a: '1', b: '2', c: '3' } },
    invalid(
      'Widget.NAMESPACE.example.com',
      'bad',
      'spec.labels: Too many: 3: must have at most 2 items',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ),
  ],
  [
    'a property of the wrong type',
    { labels: { a: 1 } },
    invalid(
      'Widget.NAMESPACE.example.com',
      'bad',
      [
        'FieldValueTypeInvalid',
        'spec.labels.a: Invalid value: "integer": spec.labels.a in body must be of type string: "integer"',
      ],
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ),
  ],
  [
    'neither number nor text',
    { share: true },
    invalid(
      'Widget.NAMESPACE.example.com',
      'bad',
      [
        'FieldValueTypeInvalid',
        'spec.share: Invalid value: "boolean": spec.share in body must be of type integer,string: "boolean"',
      ],
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ),
  ],
  [
    'a list for an object',
    { nested: [] },
    invalid(
      'Widget.NAMESPACE.example.com',
      'bad',
      [
        'FieldValueTypeInvalid',
        'spec.nested: Invalid value: "array": spec.nested in body must be of type object: "array"',
      ],
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ),
  ],
  [
    'a date that is none',
    { date: 'yesterday' },
    invalid(
      'Widget.NAMESPACE.example.com',
      'bad',
      [
        'FieldValueTypeInvalid',
        'spec.date: Invalid value: "yesterday": spec.date in body must be of type date-time: "yesterday"',
      ],
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ),
  ],
  [
    'a rule broken, told with its path',
    { min: 2, max: 1 },
    invalid(
      'Widget.NAMESPACE.example.com',
      'bad',
      'spec.min: Invalid value: min must not be greater than max',
    ),
  ],
  [
    'a rule broken, told by an expression',
    { tags: ['x', 'ta'] },
    invalid('Widget.NAMESPACE.example.com', 'bad', 'spec: Forbidden: tags must begin with t, not as in x'),
  ],
  [
    'a rule broken that has no message',
    { colour: 'red', size: 1 },
    invalid(
      'Widget.NAMESPACE.example.com',
      'bad',
      "spec: Invalid value: failed rule: self.colour != 'red' || self.size > 1",
    ),
  ],
];

contract('schemas of custom resources', (it) => {
  it('defaults reach into lists', async (target) => {
    const { spec } = await created(target, 'listed', { parts: [{ name: 'a' }, { name: 'b', count: 2 }] });
    expect(spec).toMatchObject({
      parts: [
        { name: 'a', count: 1 },
        { name: 'b', count: 2 },
      ],
    });
  });

  it('null gets the default where null is not allowed, and stays where it is', async (target) => {
    const { spec } = await created(target, 'nulls', { colour: null, maybe: null });
    expect(spec).toMatchObject({ colour: 'green', maybe: null });
  });

  it('unknown fields are pruned, save where they are kept', async (target) => {
    const { spec } = await created(target, 'pruned', {
      unknown: 1,
      nested: { deep: 1 },
      free: { any: { thing: [1] } },
    });
    expect(spec).toEqual({ size: 1, colour: 'green', nested: { depth: 5 }, free: { any: { thing: [1] } } });
  });

  it('unknown fields are told by Strict', async (target) => {
    await widgets(target);
    const query = { fieldValidation: 'Strict' };
    const object = widget(target, 'strict', { unknown: 1, nested: { deep: 1 } });
    refused(
      target,
      await target.api.post(widgetPath(target), object, { query }),
      badRequest(
        'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.nested.deep", unknown field "spec.unknown"',
      ),
    );
  });

  it('unknown fields are told as warnings', async (target) => {
    await widgets(target);
    const { headers } = await target.api.post(widgetPath(target), widget(target, 'warned', { unknown: 1 }));
    expect(headers['warning']).toEqual('299 - "unknown field \\"spec.unknown\\""');
  });

  it('numbers and texts stay what they were', async (target) => {
    expect((await created(target, 'number', { share: 5 }))['spec']).toMatchObject({ share: 5 });
    expect((await created(target, 'text', { share: '50%' }))['spec']).toMatchObject({ share: '50%' });
  });

  for (const [why, spec, expected] of bad)
    it(`a spec with ${why} is refused`, async (target) => {
      refused(target, await create(target, 'bad', spec), expected);
    });

  it('several faults are told at once, in any order', async (target) => {
    const { code, body } = await create(target, 'bad', { size: -1, colour: 'blue', code: 'abc' });
    expect(code).toBe(422);
    const { causes } = body['details'] as { causes: { field: string; message: string }[] };
    expect(causes.map(({ field }) => field).sort()).toEqual([
      '<nil>',
      'spec.code',
      'spec.colour',
      'spec.size',
    ]);
    const told = causes.map(({ field, message }) => `${field}: ${message}`).join(', ');
    expect(body['message']).toBe(`Widget.${groupOf(target)} "bad" is invalid: [${told}]`);
  });

  it('an object without its spec is refused', async (target) => {
    refused(
      target,
      await create(target, 'bad', {}, { spec: undefined }),
      invalid(
        'Widget.NAMESPACE.example.com',
        'bad',
        'spec: Required value',
        '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
      ),
    );
  });

  it('an object without a required field is refused', async (target) => {
    refused(
      target,
      await create(target, 'bad', { size: undefined }),
      invalid(
        'Widget.NAMESPACE.example.com',
        'bad',
        'spec.size: Required value',
        '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
      ),
    );
  });

  it('a rule about a change holds for changes only', async (target) => {
    await created(target, 'fixed', { fixed: 'a' });
    const path = widgetPath(target, 'fixed');
    expect((await target.api.patch(path, 'merge', { spec: { size: 2 } })).code).toBe(200);
    refused(
      target,
      await target.api.patch(path, 'merge', { spec: { fixed: 'b' } }),
      invalid(
        'Widget.NAMESPACE.example.com',
        'fixed',
        'spec.fixed: Invalid value: "b": fixed cannot be changed',
      ),
    );
  });

  it('the status has a schema, too', async (target) => {
    await created(target, 'bad-status');
    const path = `${widgetPath(target, 'bad-status')}/status`;
    refused(
      target,
      await target.api.patch(path, 'merge', { status: { phase: 5 } }),
      invalid(
        'Widget.NAMESPACE.example.com',
        'bad-status',
        [
          'FieldValueTypeInvalid',
          'status.phase: Invalid value: "integer": phase in body must be of type string: "integer"',
        ],
        '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
      ),
    );
  });
});
