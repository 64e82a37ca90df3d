import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { once, type Target } from '../target.ts';
import { groupOf } from '../widgets.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const text = { type: 'string' };
const good = { type: 'string', enum: ['good'] };
const ruled = { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == "good"' }] };
const entry = { type: 'object', properties: { key: text, field: good, ruled, other: text } };
const list = (type: string, items: object) => ({ type: 'array', 'x-kubernetes-list-type': type, items });

/** The stricter schema, which the existing objects violate. */
const strict = {
  type: 'object',
  properties: {
    field: good,
    ruled,
    other: text,
    entry: { ...entry, required: ['key'] },
    keyed: { ...list('map', { ...entry, required: ['key'] }), 'x-kubernetes-list-map-keys': ['key'] },
    placed: { type: 'array', items: entry },
    atomic: list('atomic', good),
    set: list('set', good),
    ruledSet: list('set', ruled),
    twice: list('set', text),
    named: { type: 'object', additionalProperties: entry },
    free: { type: 'object', properties: { field: good }, 'x-kubernetes-preserve-unknown-fields': true },
    whole: {
      type: 'object',
      properties: { a: { type: 'integer' }, b: { type: 'integer' } },
      'x-kubernetes-validations': [{ rule: 'self.a < self.b', message: 'a must be less than b' }],
    },
    moving: { type: 'string', maxLength: 9, 'x-kubernetes-validations': [{ rule: 'self != oldSelf' }] },
  },
};

interface Update {
  name: string;
  before: object;
  after: object;
  /** Expected causes of the refusal; undefined when the update is accepted. */
  told?: string[];
  warned?: string;
}

const notChecked =
  '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

const updates: Update[] = [
  { name: 'a field that stays is let pass', before: { field: 'bad' }, after: { field: 'bad', other: 'x' } },
  {
    name: 'a field that changes is not',
    before: { field: 'bad' },
    after: { field: 'worse' },
    told: ['spec.field: Unsupported value: "worse": supported values: "good"', notChecked],
  },
  {
    name: 'nor is one that is new',
    before: { other: 'x' },
    after: { field: 'bad', other: 'x' },
    told: ['spec.field: Unsupported value: "bad": supported values: "good"', notChecked],
  },
  {
    name: 'a missing field is a fault of its object, which stays',
    before: { entry: { other: 'a' } },
    after: { entry: { other: 'a' }, other: 'x' },
  },
  {
    name: 'or changes',
    before: { entry: { other: 'a' } },
    after: { entry: { other: 'b' } },
    told: ['spec.entry.key: Required value', notChecked],
  },
  {
    name: 'an item with keys is found wherever it is, and may get other fields',
    before: {
      keyed: [
        { key: 'a', field: 'bad' },
        { key: 'b', field: 'bad' },
      ],
    },
    after: { keyed: [{ key: 'c' }, { key: 'b', field: 'bad', other: 'x' }, { key: 'a', field: 'bad' }] },
  },
  {
    name: 'an item with another key is a new one',
    before: { keyed: [{ key: 'a', field: 'bad' }] },
    after: { keyed: [{ key: 'b', field: 'bad' }] },
    told: ['spec.keyed[0].field: Unsupported value: "bad": supported values: "good"', notChecked],
  },
  {
    name: 'an atomic list stays as a whole',
    before: { atomic: ['bad'] },
    after: { atomic: ['bad'], other: 'x' },
  },
  {
    name: 'or not at all',
    before: { atomic: ['bad'] },
    after: { atomic: ['bad', 'good'] },
    told: ['spec.atomic[0]: Unsupported value: "bad": supported values: "good"', notChecked],
  },
  {
    name: 'so does a set',
    before: { set: ['bad'] },
    after: { set: ['bad', 'good'] },
    told: ['spec.set[0]: Unsupported value: "bad": supported values: "good"', notChecked],
  },
  {
    name: 'so does a list without a type',
    before: { placed: [{ field: 'bad' }, { field: 'good' }] },
    after: { placed: [{ field: 'bad', other: 'x' }, { field: 'good' }, {}] },
    told: ['spec.placed[0].field: Unsupported value: "bad": supported values: "good"', notChecked],
  },
  {
    name: 'a set that stays may break a rule',
    before: { ruledSet: ['bad'] },
    after: { ruledSet: ['bad'], other: 'x' },
    warned: '299 - "spec.ruledSet[0]: Invalid value: \\"bad\\": failed rule: self == \\"good\\""',
  },
  {
    name: 'one that changes may not',
    before: { ruledSet: ['bad'] },
    after: { ruledSet: ['bad', 'good'] },
    told: ['spec.ruledSet[0]: Invalid value: "bad": failed rule: self == "good"'],
  },
  {
    name: 'entries that were there twice excuse others',
    before: { twice: ['a', 'a'] },
    after: { twice: ['a', 'a', 'b', 'b'] },
  },
  {
    name: 'entries that were there once do not',
    before: { twice: ['a'] },
    after: { twice: ['a', 'a'] },
    told: ['spec.twice[1]: Duplicate value: "a"'],
  },
  {
    name: 'an entry of a map that stays is let pass',
    before: { named: { a: { field: 'bad', ruled: 'bad' } } },
    after: { named: { a: { field: 'bad', ruled: 'bad', other: 'x' }, b: {} } },
    warned: '299 - "spec.named[a].ruled: Invalid value: \\"bad\\": failed rule: self == \\"good\\""',
  },
  {
    name: 'one that changes is told by its name',
    before: { named: { a: { ruled: 'bad' } } },
    after: { named: { a: { ruled: 'worse' } } },
    told: ['spec.named[a].ruled: Invalid value: "worse": failed rule: self == "good"'],
  },
  {
    name: 'of an object with unknown fields, known ones that stay are let pass',
    before: { free: { field: 'bad', unknown: 1 } },
    after: { free: { field: 'bad', unknown: 2 } },
  },
  {
    name: 'a rule that a field broke before does not hold it up',
    before: { ruled: 'bad' },
    after: { ruled: 'bad', other: 'x' },
    warned: '299 - "spec.ruled: Invalid value: \\"bad\\": failed rule: self == \\"good\\""',
  },
  {
    name: 'a rule of an object that stays does not, either',
    before: { whole: { a: 2, b: 1 } },
    after: { whole: { a: 2, b: 1 }, other: 'x' },
    warned: '299 - "spec.whole: Invalid value: a must be less than b"',
  },
  {
    name: 'a rule of an object that changes does',
    before: { whole: { a: 2, b: 1 } },
    after: { whole: { a: 3, b: 1 } },
    told: ['spec.whole: Invalid value: a must be less than b'],
  },
  {
    name: 'a rule that cannot be asked holds for what does not change',
    before: { whole: { a: 2 } },
    after: { whole: { a: 2 }, other: 'x' },
    told: ['spec.whole: Invalid value: "object": no such key: b evaluating rule: a must be less than b'],
  },
  {
    name: 'a rule about changes holds for what does not change',
    before: { moving: 'a' },
    after: { moving: 'a', other: 'x' },
    told: ['spec.moving: Invalid value: "a": failed rule: self != oldSelf'],
  },
];

const pathOf = (target: Target, name = '') =>
  target.group(`${groupOf(target)}/v1`, name === '' ? 'relics' : `relics/${name}`);
const relic = (target: Target, name: string, spec: object) => ({
  apiVersion: `${groupOf(target)}/v1`,
  kind: 'Relic',
  metadata: { name },
  spec,
});
const schemaOf = (spec: object) => ({ openAPIV3Schema: { type: 'object', properties: { spec } } });

/** Creates objects while the schema of their kind accepts anything, then makes the schema strict. */
const relics = once(async (target: Target) => {
  const group = groupOf(target);
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  await target.createForAll(crds, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `relics.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'relics', kind: 'Relic' },
      versions: [{ name: 'v1', served: true, storage: true, schema: schemaOf(anything) }],
    },
  } as { metadata: { name: string } });
  await waitFor('the kind is served', async () => {
    const { code } = await target.api.get(pathOf(target));
    return code === 200 ? { met: true } : { seen: String(code) };
  });
  for (const [index, { before }] of updates.entries()) {
    const { code, text } = await target.api.post(pathOf(target), relic(target, `relic-${index}`, before));
    expect(code, text).toBe(201);
  }
  const { code, text: answer } = await target.api.patch(`${crds}/relics.${group}`, 'json', [
    { op: 'replace', path: '/spec/versions/0/schema', value: schemaOf(strict) },
  ]);
  expect(code, answer).toBe(200);
  await waitFor('the schema is strict', async () => {
    const probe = relic(target, 'probe', { field: 'bad' });
    const tried = await target.api.post(`${pathOf(target)}?dryRun=All`, probe);
    return tried.code === 422 ? { met: true } : { seen: String(tried.code) };
  });
});

contract('updates after a schema became stricter', (it) => {
  for (const [index, { name, after, told, warned }] of updates.entries())
    it(name, async (target) => {
      await relics(target);
      const path = pathOf(target, `relic-${index}`);
      const { metadata } = (await target.api.get(path)).body as { metadata: { resourceVersion: string } };
      const object = { ...relic(target, `relic-${index}`, after), metadata };
      const { code, body, headers } = await target.api.put(path, object);
      const causes = (body as { details?: { causes?: { field: string; message: string }[] } }).details
        ?.causes;
      expect({
        code,
        told: causes?.map(({ field, message }) => `${field}: ${message}`),
        warned: headers['warning'],
      }).toEqual({ code: told === undefined ? 200 : 422, told, warned });
    });
});
