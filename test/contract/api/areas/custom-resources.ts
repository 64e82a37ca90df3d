import { expect } from 'vitest';
import { contract } from '../contract.ts';
import type { Answer } from '../http.ts';
import {
  alreadyExists,
  badRequest,
  conflict,
  invalid,
  modified,
  notFound,
  type Refusal,
  refused,
} from '../statuses.ts';
import type { Target } from '../target.ts';
import { dnsSubdomain } from '../texts.ts';
import { told } from '../watch.ts';
import { groupOf, widget, widgetPath, widgets } from '../widgets.ts';

async function create(target: Target, name: string, spec: object = {}, more: object = {}): Promise<Answer> {
  await widgets(target);
  return target.api.post(widgetPath(target), widget(target, name, spec, more));
}

async function created(target: Target, name: string, spec: object = {}) {
  const { code, text, body } = await create(target, name, spec);
  expect(code, text).toBe(201);
  return body;
}

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

export const customResources = contract('custom resources', (it) => {
  it('an object is created, with a generation and its defaults', async (target) => {
    const body = await created(target, 'plain');
    expect(body.metadata).toMatchObject({ name: 'plain', namespace: target.namespace, generation: 1 });
    expect(body['spec']).toEqual({ size: 1, colour: 'green', nested: { depth: 5 } });
  });

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

  it('a bad name is refused', async (target) => {
    refused(
      target,
      await create(target, 'Bad_Name'),
      invalid(
        'Widget.NAMESPACE.example.com',
        'Bad_Name',
        `metadata.name: Invalid value: "Bad_Name": ${dnsSubdomain}`,
      ),
    );
  });

  it('another kind is refused', async (target) => {
    refused(
      target,
      await create(target, 'bad', {}, { kind: 'Gadget' }),
      invalid(
        'Gadget.NAMESPACE.example.com',
        'bad',
        'kind: Invalid value: "Gadget": must be Widget',
        `spec: Invalid value: "object": no such key: colour evaluating rule: self.colour != 'red' || self.size > 1`,
      ),
    );
  });

  it('another version is refused', async (target) => {
    refused(
      target,
      await create(target, 'bad', {}, { apiVersion: `${groupOf(target)}/v1beta1` }),
      badRequest(
        'the API version in the data (NAMESPACE.example.com/v1beta1) does not match the expected API version (NAMESPACE.example.com/v1)',
      ),
    );
  });

  it('a taken name is told with its group', async (target) => {
    await created(target, 'taken');
    refused(target, await create(target, 'taken'), alreadyExists('widgets.NAMESPACE.example.com', 'taken'));
  });

  it('what is not there is not found, with its group', async (target) => {
    await widgets(target);
    refused(
      target,
      await target.api.get(widgetPath(target, 'nobody')),
      notFound('widgets.NAMESPACE.example.com', 'nobody'),
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

  it('generation counts changes of anything but metadata and status', async (target) => {
    await created(target, 'counted');
    const path = widgetPath(target, 'counted');
    const steps = [
      { metadata: { labels: { a: 'b' } } },
      { spec: { size: 5 } },
      { status: { phase: 'lost' } },
    ];
    const seen = [];
    for (const step of steps)
      seen.push((await target.api.patch(path, 'merge', step)).body.metadata.generation);
    expect(seen).toEqual([1, 2, 2]);
  });

  it('the status is written on its own path only', async (target) => {
    await created(target, 'status');
    const path = widgetPath(target, 'status');
    const change = { spec: { size: 50 }, status: { phase: 'Ready' } };
    const { body } = await target.api.patch(`${path}/status`, 'merge', change);
    expect([body['spec'], body['status']]).toMatchObject([{ size: 1 }, { phase: 'Ready' }]);
    const { body: after } = await target.api.patch(path, 'merge', { status: { phase: 'Lost' } });
    expect(after['status']).toEqual({ phase: 'Ready' });
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

  it('the scale reads and writes the paths that the definition names', async (target) => {
    await created(target, 'scaled', { replicas: 2 });
    const path = widgetPath(target, 'scaled');
    await target.api.patch(`${path}/status`, 'merge', { status: { replicas: 1, selector: 'a=b' } });
    const { body } = await target.api.get(`${path}/scale`);
    expect(body).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 2 },
      status: { replicas: 1, selector: 'a=b' },
    });
    await target.api.patch(`${path}/scale`, 'merge', { spec: { replicas: 7 } });
    expect((await target.api.get(path)).body['spec']).toMatchObject({ replicas: 7 });
  });

  it('a strategic patch is not for custom resources', async (target) => {
    await created(target, 'strategic');
    refused(
      target,
      await target.api.patch(widgetPath(target, 'strategic'), 'strategic', { spec: { size: 2 } }),
      {
        code: 415,
        reason: 'UnsupportedMediaType',
        message:
          'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      },
    );
  });

  it('a JSON patch is', async (target) => {
    await created(target, 'json');
    const patch = [{ op: 'replace', path: '/spec/size', value: 9 }];
    const { code, body } = await target.api.patch(widgetPath(target, 'json'), 'json', patch);
    expect([code, body['spec']]).toMatchObject([200, { size: 9 }]);
  });

  it('an update without a version is refused', async (target) => {
    await created(target, 'put');
    refused(
      target,
      await target.api.put(widgetPath(target, 'put'), widget(target, 'put', { size: 2 })),
      invalid(
        'widgets.NAMESPACE.example.com',
        'put',
        'metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      ),
    );
  });

  it('an update with an older version is a conflict', async (target) => {
    const before = await created(target, 'raced');
    await target.api.patch(widgetPath(target, 'raced'), 'merge', { spec: { size: 2 } });
    refused(
      target,
      await target.api.put(widgetPath(target, 'raced'), before),
      conflict('widgets.NAMESPACE.example.com', 'raced', modified),
    );
  });

  it('a watch tells of them', async (target) => {
    await widgets(target);
    await using watch = await target.api.watch(widgetPath(target), { labelSelector: 'watched=yes' });
    await target.api.post(widgetPath(target), {
      ...widget(target, 'w'),
      metadata: { name: 'watched', labels: { watched: 'yes' } },
    });
    await target.api.delete(widgetPath(target, 'watched'));
    expect(told(await watch.next(2))).toEqual(['ADDED watched', 'DELETED watched']);
  });

  it('they are selected by the fields that the definition names', async (target) => {
    await created(target, 'selected', { colour: 'red', size: 2 });
    const list = async (fieldSelector: string) =>
      (await target.api.get(widgetPath(target), { query: { fieldSelector } })).body.items.map(
        ({ metadata }) => metadata.name,
      );
    expect(await list('spec.colour=red')).toEqual(['selected']);
    expect(await list('spec.colour=red,metadata.name=other')).toEqual([]);
  });

  it('other fields cannot be selected', async (target) => {
    await widgets(target);
    refused(
      target,
      await target.api.get(widgetPath(target), { query: { fieldSelector: 'spec.size=1' } }),
      badRequest('field label not supported: spec.size'),
    );
  });

  it('a table has the columns of the definition', async (target) => {
    await created(target, 'shown', { size: 8 });
    const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const { body } = await target.api.get(widgetPath(target, 'shown'), { headers });
    const { columnDefinitions, rows } = body as unknown as {
      columnDefinitions: { name: string; type: string; priority: number }[];
      rows: { cells: unknown[] }[];
    };
    expect(columnDefinitions.map(({ name, type, priority }) => `${name}:${type}:${priority}`)).toEqual([
      'Name:string:0',
      'Size:integer:0',
      'Colour:string:0',
      'Phase:string:1',
      'Age:date:0',
    ]);
    expect(rows[0]?.cells).toEqual(['shown', 8, 'green', null, expect.stringMatching(/^\d+(s|m\d*s?)$/)]);
  });

  it('every served version shows the same object', async (target) => {
    await created(target, 'versions', { size: 4 });
    const { body } = await target.api.get(target.group(`${groupOf(target)}/v1beta1`, 'widgets/versions'));
    expect(body).toMatchObject({ apiVersion: `${groupOf(target)}/v1beta1`, spec: { size: 4 } });
  });

  it('a collection is deleted', async (target) => {
    await widgets(target);
    await target.api.post(widgetPath(target), {
      ...widget(target, 'x'),
      metadata: { name: 'collected', labels: { collect: 'yes' } },
    });
    const { code } = await target.api.delete(widgetPath(target), undefined, {
      query: { labelSelector: 'collect=yes' },
    });
    expect([code, (await target.api.get(widgetPath(target, 'collected'))).code]).toEqual([200, 404]);
  });
});
