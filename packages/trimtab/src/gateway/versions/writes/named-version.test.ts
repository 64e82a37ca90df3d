import { expect, test } from 'vitest';
import { Refusal } from '../../../versions/refusal.ts';
import { namedVersion, withAnnotationsOf } from './named-version.ts';
import type { WriteForm } from './write-format.ts';

const forms: readonly WriteForm[] = ['object', 'apply', 'merge', 'strategic'];

test.each(forms)('metadata.version of a body (%s) becomes the annotation that names the version', (form) => {
  const value = { metadata: { name: 'foo', version: '1.1', annotations: { team: 'red' } }, data: { a: 'b' } };
  expect(namedVersion(form, value)).toEqual({
    write: 'names a version',
    version: '1.1',
    body: {
      metadata: { name: 'foo', annotations: { team: 'red', 'trimtab.dev/version': '1.1' } },
      data: { a: 'b' },
    },
  });
});

test.each([
  ['object', { data: { version: '1' } }],
  ['merge', { metadata: { annotations: { version: '1' } } }],
  ['apply', null],
  ['strategic', []],
  ['json-patch', {}],
  ['json-patch', [{ op: 'add', path: '/metadata/labels/version', value: '1' }, null]],
  ['json-patch', [{ op: 'replace', path: '/metadata/versions', value: '1' }]],
] as const)('a body (%s) without the field names no version: %j', (form, value) => {
  expect(namedVersion(form, value)).toEqual({ write: 'names no version' });
});

test('a patch that removes the field removes the annotation', () => {
  expect(namedVersion('strategic', { metadata: { version: null } })).toEqual({
    write: 'removes the name',
    body: { metadata: { annotations: { 'trimtab.dev/version': null } } },
  });
});

test.each(['merge', 'strategic'] as const)(
  'the name is set though the patch (%s) removes the annotation',
  (form) => {
    const patch = { metadata: { version: '1.1', annotations: { 'trimtab.dev/version': null } } };
    expect(namedVersion(form, patch)).toMatchObject({
      write: 'names a version',
      body: { metadata: { annotations: { 'trimtab.dev/version': '1.1' } } },
    });
  },
);

test('an operation of a JSON patch sets the annotation, which needs annotations', () => {
  const operations = [
    { op: 'replace', path: '/metadata/version', value: '1.1' },
    { op: 'replace', path: '/data/a', value: 'b' },
  ];
  const named = namedVersion('json-patch', operations);
  const set = { op: 'add', path: '/metadata/annotations/trimtab.dev~1version', value: '1.1' };
  expect(named).toEqual({ write: 'names a version', version: '1.1', body: [set, operations[1]] });
  const body = named.write === 'names a version' ? named.body : undefined;
  expect(withAnnotationsOf({ metadata: { annotations: {} } }, body)).toBe(body);
  expect(withAnnotationsOf({ metadata: {} }, body)).toEqual([
    { op: 'test', path: '/metadata/annotations', value: null },
    { op: 'add', path: '/metadata/annotations', value: {} },
    set,
    operations[1],
  ]);
});

test('an operation that is none is left to the API server', () => {
  const operations = [
    null,
    'x',
    { op: 'add', path: '/metadata/annotations/trimtab.dev~1version', value: '1' },
  ];
  expect(withAnnotationsOf({ metadata: {} }, operations)).toEqual(expect.arrayContaining(operations));
});

test.each(['x'.repeat(2_900_000), { toString: 1 }, ['x'.repeat(2_900_000)]])(
  'a version and an annotation that no message can show are refused in short',
  (other) => {
    const value = {
      metadata: { version: 'y'.repeat(2_000_000), annotations: { 'trimtab.dev/version': other } },
    };
    try {
      namedVersion('object', value);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(Refusal);
      expect((error as Refusal).message.length).toBeLessThan(500);
    }
  },
);

test.each([
  ['object', { metadata: { version: null } }, 'not null'],
  [
    'object',
    { metadata: { version: '1', annotations: [null] } },
    'annotations: must be a map of strings, not a list',
  ],
  [
    'merge',
    { metadata: { version: null, annotations: 'a' } },
    'annotations: must be a map of strings, not a string',
  ],
  ['merge', { metadata: { version: {} } }, 'not a map'],
  ['object', { metadata: { version: '1', annotations: { 'trimtab.dev/version': '2' } } }, 'does not match'],
  ['json-patch', [{ op: 'add', path: '/metadata/version', value: 1.1 }], 'not a number'],
  ['json-patch', [{ op: 'remove', path: '/metadata/version' }], 'with one operation'],
  ['json-patch', [{ op: 'move', from: '/metadata/version', path: '/data/a' }], 'with one operation'],
  ['json-patch', [{ op: 'add', path: '/metadata', value: { version: '1' } }], 'with one operation'],
  ['json-patch', [{ op: 'replace', path: '', value: { metadata: { version: '1' } } }], 'with one operation'],
] as const)('a body (%s) with a version that is no name is refused: %j', (form, value, why) => {
  try {
    namedVersion(form, value);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    expect(error).toMatchObject({ body: { code: 400 }, message: expect.stringContaining(why) });
  }
});

test('a version that the gateway returned loses what belongs to the object that holds it', () => {
  const returned = {
    metadata: {
      name: 'foo',
      uid: 'u',
      resourceVersion: '7',
      creationTimestamp: '2026-11-18T00:00:00Z',
      version: '1.0.0',
      annotations: { 'trimtab.dev/object': 'foo-1', 'trimtab.dev/state': 'current', team: 'red' },
    },
    immutable: true,
    data: { a: 'b' },
  };
  const named = namedVersion('object', returned);
  const annotations = { 'trimtab.dev/version': '1.0.0', team: 'red' };
  expect(named).toMatchObject({ write: 'names a version', version: '1.0.0' });
  expect(named.write === 'names a version' && named.body).toEqual({
    metadata: { name: 'foo', annotations },
    data: { a: 'b' },
  });
});
