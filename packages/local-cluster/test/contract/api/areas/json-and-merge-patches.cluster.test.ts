import { expect } from 'vitest';
import { contract } from '../contract.ts';
import type { Answer } from '../http.ts';
import { configMap } from '../objects.ts';
import {
  badRequest,
  conflict,
  invalid,
  modified,
  notFound,
  type Refusal,
  refused,
  refuses,
} from '../statuses.ts';
import type { Target } from '../target.ts';
import { labelValue } from '../texts.ts';

let count = 0;

/** Creates a ConfigMap for one case; returns its path. */
async function given({ api, core }: Target, more: object = {}): Promise<string> {
  const name = `patched-${count++}`;
  await api.post(
    core('configmaps'),
    configMap({ name, labels: { l: '1' } }, { data: { a: '1', b: '2' }, ...more }),
  );
  return core(`configmaps/${name}`);
}

/** Replaces the name of the object in the response, and the object itself where the response quotes it. */
function plain(answer: Answer): Answer {
  const text = answer.text
    .replaceAll(/patched-\d+/g, 'NAME')
    .replace(/Invalid value: \\"\{.*?\}\\": /g, 'Invalid value: OBJECT: ');
  return { ...answer, text };
}

/** The expected refusal when the result of a patch cannot be decoded as an object of the kind. */
function notReadable(why: string): Refusal {
  const message = `Invalid value: OBJECT: ${why}`;
  const causes = [{ reason: 'FieldValueInvalid', message, field: 'patch' }];
  return { code: 422, reason: 'Invalid', message: ` "" is invalid: patch: ${message}`, details: { causes } };
}

type Operation = { op: string; path?: string; from?: string; value?: unknown };

const jsonPatches: [what: string, operations: Operation[], data: object | undefined][] = [
  ['adds', [{ op: 'add', path: '/data/c', value: '3' }], { a: '1', b: '2', c: '3' }],
  ['replaces', [{ op: 'replace', path: '/data/a', value: 'x' }], { a: 'x', b: '2' }],
  ['removes', [{ op: 'remove', path: '/data/a' }], { b: '2' }],
  ['moves', [{ op: 'move', from: '/data/a', path: '/data/c' }], { b: '2', c: '1' }],
  ['copies', [{ op: 'copy', from: '/data/a', path: '/data/c' }], { a: '1', b: '2', c: '1' }],
  [
    'tests, then changes',
    [
      { op: 'test', path: '/data/a', value: '1' },
      { op: 'replace', path: '/data/a', value: '9' },
    ],
    { a: '9', b: '2' },
  ],
  [
    'does several things in order',
    [
      { op: 'add', path: '/data/c', value: '3' },
      { op: 'remove', path: '/data/c' },
    ],
    { a: '1', b: '2' },
  ],
  [
    'knows ~0 and ~1 in paths',
    [{ op: 'add', path: '/metadata/labels/example.com~1x', value: 'y' }],
    { a: '1', b: '2' },
  ],
  ['removes a whole branch', [{ op: 'remove', path: '/data' }], undefined],
  ['is empty', [], { a: '1', b: '2' }],
  [
    'adds where it replaces what is not there',
    [{ op: 'replace', path: '/data/z', value: '3' }],
    { a: '1', b: '2', z: '3' },
  ],
  [
    'copies nothing from where nothing is',
    [{ op: 'copy', from: '/data/z', path: '/data/y' }],
    { a: '1', b: '2', y: '' },
  ],
];

const unsupportedPatch: Refusal = {
  code: 415,
  reason: 'UnsupportedMediaType',
  message: '415: Unsupported Media Type',
  details: {},
};

/** The expected refusal of a JSON patch that cannot be applied. */
const rejected = {
  code: 422,
  reason: 'Invalid',
  message: 'the server rejected our request due to an error in our request',
  details: {},
};

const badJsonPatches: [what: string, operations: unknown, expected: Refusal][] = [
  ['whose test fails', [{ op: 'test', path: '/data/a', value: '2' }], rejected],
  ['that removes what is not there', [{ op: 'remove', path: '/data/z' }], rejected],
  ['that adds under a parent that is not there', [{ op: 'add', path: '/nope/z', value: '1' }], rejected],
  ['with an operation that is none', [{ op: 'increase', path: '/data/a' }], rejected],
  ['without a path', [{ op: 'add', value: '1' }], rejected],
  [
    'that is an object',
    { op: 'add', path: '/data/a', value: '1' },
    badRequest(
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    ),
  ],
  [
    'that makes a wrong type',
    [{ op: 'add', path: '/data/a', value: 5 }],
    notReadable('json: cannot unmarshal number into Go struct field ConfigMap.data of type string'),
  ],
  [
    'that makes an invalid object',
    [{ op: 'add', path: '/metadata/labels/x', value: 'no good' }],
    invalid(
      'ConfigMap',
      'NAME',
      `metadata.labels: Invalid value: "no good": ${labelValue}`,
      `metadata.labels: Invalid value: "no good": ${labelValue}`,
      `metadata.labels: Invalid value: "no good": ${labelValue}`,
      `metadata.labels: Invalid value: "no good": ${labelValue}`,
    ),
  ],
  [
    'with too many operations',
    Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: 'ConfigMap' })),
    {
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    },
  ],
];

const mergePatches: [what: string, patch: object, expected: object][] = [
  ['adds and keeps', { data: { c: '3' } }, { data: { a: '1', b: '2', c: '3' } }],
  ['removes with null', { data: { a: null } }, { data: { b: '2' } }],
  ['ignores a null of what is not there', { data: { z: null } }, { data: { a: '1', b: '2' } }],
  [
    'replaces lists as a whole',
    { metadata: { finalizers: ['example.com/b'] } },
    { metadata: { finalizers: ['example.com/b'] } },
  ],
  [
    'adds a branch that was not there',
    { metadata: { annotations: { x: 'y' } } },
    { metadata: { annotations: { x: 'y' } } },
  ],
];

contract('JSON and merge patches', (it) => {
  for (const [what, operations, data] of jsonPatches)
    it(`a JSON patch ${what}`, async (target) => {
      const { code, body } = await target.api.patch(await given(target), 'json', operations);
      expect([code, body['data']]).toEqual([200, data]);
    });

  it('a JSON patch inserts into, appends to and removes from lists', async (target) => {
    const path = await given(target, {});
    const at = (op: string, place: string, value?: string) => ({
      op,
      path: `/metadata/finalizers${place}`,
      value,
    });
    const operations = [
      { ...at('add', ''), value: ['example.com/b'] },
      at('add', '/0', 'example.com/a'),
      at('add', '/-', 'example.com/c'),
      at('remove', '/1'),
    ];
    const { body } = await target.api.patch(path, 'json', operations);
    expect(body.metadata.finalizers).toEqual(['example.com/a', 'example.com/c']);
    await target.api.patch(path, 'merge', { metadata: { finalizers: null } });
  });

  for (const [what, operations, expected] of badJsonPatches)
    it(`a JSON patch ${what} is refused`, async (target) => {
      const path = await given(target);
      const answer = await target.api.patch(path, 'json', operations);
      refused(target, plain(answer), expected);
    });

  for (const [what, patch, expected] of mergePatches)
    it(`a merge patch ${what}`, async (target) => {
      const path = await given(target);
      const { code, body } = await target.api.patch(path, 'merge', patch);
      expect(code).toBe(200);
      for (const [field, value] of Object.entries(expected))
        if (field === 'data') expect(body[field]).toEqual(value);
        else expect(body[field]).toMatchObject(value);
      await target.api.patch(path, 'merge', { metadata: { finalizers: null } });
    });

  it('a merge patch of data with null removes all of it', async (target) => {
    const { body } = await target.api.patch(await given(target), 'merge', { data: null });
    expect(body).not.toHaveProperty('data');
  });

  it('a patch that changes nothing keeps the version', async (target) => {
    const path = await given(target);
    const { body: before } = await target.api.get(path);
    const { body } = await target.api.patch(path, 'merge', { data: { a: '1' } });
    expect(body.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it('a patch with the latest version passes, one with an older is a conflict', async (target) => {
    const path = await given(target);
    const { resourceVersion } = (await target.api.get(path)).body.metadata;
    const patch = (a: string) =>
      target.api.patch(path, 'merge', { metadata: { resourceVersion }, data: { a } });
    expect((await patch('x')).code).toBe(200);
    const answer = await patch('y');
    refused(target, plain(answer), conflict('configmaps', 'NAME', modified));
  });

  it('patches without a version that race are all done', async (target) => {
    const path = await given(target);
    const keys = Array.from({ length: 12 }, (_, n) => `k${n}`);
    const answers = await Promise.all(
      keys.map((key) => target.api.patch(path, 'merge', { data: { [key]: 'x' } })),
    );
    expect(answers.map(({ code }) => code)).toEqual(keys.map(() => 200));
    const { body } = await target.api.get(path);
    expect(Object.keys(body['data'] as object)).toHaveLength(14);
  });

  it('a patch of the UID is refused', async (target) => {
    const path = await given(target);
    const answer = await target.api.patch(path, 'merge', {
      metadata: { uid: '00000000-0000-4000-8000-000000000000' },
    });
    refused(
      target,
      plain(answer),
      invalid(
        'ConfigMap',
        'NAME',
        'metadata.uid: Invalid value: "UID": field is immutable',
        'metadata.uid: Invalid value: "UID": field is immutable',
      ),
    );
  });

  it('a patch of the name is refused', async (target) => {
    const path = await given(target);
    const answer = await target.api.patch(path, 'merge', { metadata: { name: 'other' } });
    refused(
      target,
      plain(answer),
      badRequest('the name of the object (other) does not match the name on the URL (NAME)'),
    );
  });

  it('a patch of the kind is refused', async (target) => {
    const answer = await target.api.patch(await given(target), 'merge', { kind: 'Secret' });
    refused(target, plain(answer), notReadable('illegal base64 data at input byte 0'));
  });

  for (const [what, patch, why] of [
    ['to one that it fits', { kind: 'Pod' }, 'converting (v1.Pod) to (core.ConfigMap): unknown conversion'],
    [
      'to one of another group',
      { kind: 'Deployment', apiVersion: 'apps/v1' },
      'converting (v1.Deployment) to (core.ConfigMap): unknown conversion',
    ],
    [
      'to one that is none',
      { kind: 'Nope' },
      'no kind "Nope" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
  ] as const)
    it(`a patch of the kind ${what} is refused`, async (target) => {
      refused(target, plain(await target.api.patch(await given(target), 'merge', patch)), notReadable(why));
    });

  it('a merge patch that takes the kind away, or a strategic one that names another, changes no kind', async (target) => {
    const path = await given(target);
    const merged = await target.api.patch(path, 'merge', { kind: null, data: { a: '2' } });
    expect([merged.code, merged.body['kind'], merged.body['data']]).toEqual([
      200,
      'ConfigMap',
      { a: '2', b: '2' },
    ]);
    const strategic = await target.api.patch(path, 'strategic', { kind: 'Secret', data: { a: '3' } });
    expect([strategic.code, strategic.body['kind'], strategic.body['data']]).toEqual([
      200,
      'ConfigMap',
      { a: '3', b: '2' },
    ]);
  });

  it(
    'what is not there cannot be patched',
    refuses(
      ({ api, core }) => api.patch(core('configmaps/nobody'), 'merge', {}),
      notFound('configmaps', 'nobody'),
    ),
  );

  it('a merge patch that is no object is refused', async (target) => {
    refused(
      target,
      await target.api.patch(await given(target), 'merge', '[1]'),
      badRequest(
        'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
      ),
    );
  });

  it('a patch that is no JSON is refused', async (target) => {
    refused(
      target,
      await target.api.patch(await given(target), 'merge', '{'),
      badRequest('error decoding patch: unexpected end of JSON input'),
    );
  });

  it('a patch in YAML is of no known type', async (target) => {
    const headers = { 'content-type': 'application/merge-patch+yaml' };
    const answer = await target.api.call({
      method: 'PATCH',
      path: await given(target),
      headers,
      body: 'data: {a: x}',
    });
    expect([answer.code, answer.body['message']]).toEqual([415, '415: Unsupported Media Type']);
  });

  it('a patch of a type that is none is refused', async (target) => {
    const headers = { 'content-type': 'application/json' };
    refused(
      target,
      await target.api.call({ method: 'PATCH', path: await given(target), headers, body: {} }),
      unsupportedPatch,
    );
  });

  it('a patch without a type is refused', async (target) => {
    const headers = { 'content-type': '' };
    refused(
      target,
      await target.api.call({ method: 'PATCH', path: await given(target), headers, body: {} }),
      unsupportedPatch,
    );
  });

  it('an apply patch creates, and owns what it names', async ({ api, core }) => {
    const query = { fieldManager: 'suite' };
    const { code, body } = await api.patch(
      core('configmaps/applied'),
      'apply',
      configMap('applied', { data: { a: '1' } }),
      { query },
    );
    expect(code).toBe(201);
    expect(body.metadata).toMatchObject({ managedFields: [{ manager: 'suite', operation: 'Apply' }] });
  });

  it('force is for apply patches only', async (target) => {
    const query = { force: 'true' };
    refused(
      target,
      await target.api.patch(await given(target), 'merge', {}, { query }),
      invalid('PatchOptions.meta.k8s.io', '', 'force: Forbidden: may not be specified for non-apply patch'),
    );
  });
});
