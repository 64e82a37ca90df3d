import { expect, test } from 'vitest';
import { Refusal } from '../../../versions/refusal.ts';
import { postTarget } from './post-target.ts';

const namespace = 'shop';

function target(
  path: object,
  metadata: { name?: string; namespace?: string; generateName?: string },
  version?: string,
) {
  return postTarget('ConfigMap', { namespace, ...path }, { body: { metadata }, version });
}

test.each([
  ['nothing but a version in the body', {}, { name: 'foo' }, '1.0.0', 'create', 'foo', '1.0.0'],
  [
    'a segment that is not the name in the body',
    { segment: '1.0.0' },
    { name: 'foo' },
    undefined,
    'create',
    'foo',
    '1.0.0',
  ],
  ['the same version twice', { segment: '1.0.0' }, { name: 'foo' }, '1.0.0', 'create', 'foo', '1.0.0'],
  ['a segment and no name', { segment: 'foo' }, {}, undefined, 'add', 'foo', undefined],
  ['a segment and an empty name', { segment: 'foo' }, { name: '' }, undefined, 'add', 'foo', undefined],
  ['a segment that is the name', { segment: 'foo' }, { name: 'foo' }, 'summer', 'add', 'foo', 'summer'],
  ['a name and a slash', { name: 'foo' }, {}, undefined, 'add', 'foo', undefined],
  ['both', { name: 'foo', version: 'a b' }, {}, undefined, 'add', 'foo', 'a b'],
  [
    'both, and again in the body',
    { name: 'foo', version: 'v' },
    { name: 'foo', namespace },
    'v',
    'add',
    'foo',
    'v',
  ],
] as const)('%s', (_, path, metadata, version, does, name, wanted) => {
  expect(target(path, metadata, version)).toEqual({
    does,
    address: { kind: 'ConfigMap', namespace, name },
    version: wanted,
  });
});

test.each([
  ['another namespace', { segment: 'v' }, { name: 'foo', namespace: 'bar' }, undefined, 400, 'namespace'],
  ['another name', { name: 'foo', version: 'v' }, { name: 'bar' }, undefined, 400, 'does not match the name'],
  ['another version', { name: 'foo', version: 'v' }, {}, 'w', 400, 'does not match the version'],
  [
    'another version of a new config',
    { segment: 'v' },
    { name: 'foo' },
    'w',
    400,
    'does not match the version',
  ],
  ['no name', {}, {}, 'v', 422, 'name of the config'],
  ['half a name', {}, { generateName: 'foo-' }, 'v', 422, 'generateName'],
  ['the name current', { name: 'foo', version: 'current' }, {}, undefined, 422, 'is reserved'],
  ['current for a new config', { segment: 'current' }, { name: 'foo' }, undefined, 422, 'is current'],
  ['no version at all', {}, { name: 'foo' }, '', 422, 'must not be empty'],
  ['a line break', {}, { name: 'foo' }, 'a\nb', 422, 'one line'],
  ['a version without end', {}, { name: 'foo' }, 'x'.repeat(254), 422, 'no more than 253'],
  [
    'a name that is none',
    { segment: 'v' },
    { name: 'Foo!' },
    undefined,
    400,
    '"Foo!" is not a valid object name',
  ],
  ['a segment that is no name', { segment: '1.0.0 beta' }, {}, undefined, 400, 'not a valid object name'],
] as const)('%s is refused', (_, path, metadata, version, code, why) => {
  try {
    target(path, metadata, version);
    expect.unreachable();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    expect(error.body.code).toBe(code);
    expect(error.message).toContain(why);
  }
});

const long = 'x'.repeat(2_900_000);
test.each([
  ['namespace', { segment: 'v' }, { name: 'foo', namespace: long }, undefined],
  ['name', { segment: 'v' }, { name: long }, undefined],
  ['other name', { name: 'foo', version: 'v' }, { name: long }, undefined],
  ['version', { segment: 'v' }, { name: 'foo' }, long],
  ['only version', {}, { name: 'foo' }, long],
] as const)('a %s of 2.9 MB is refused in short', (_, path, metadata, version) => {
  try {
    target(path, metadata, version);
    expect.unreachable();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    expect(JSON.stringify(error.body).length).toBeLessThan(1_000);
    expect(error.message).toContain('xxx…');
  }
});
