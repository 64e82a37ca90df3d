import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseImageReference } from './image-reference.ts';

const hex = 'a'.repeat(64);

describe('an image name', () => {
  it.each([
    ['nginx', {}],
    ['nginx:1.27', { tag: '1.27' }],
    ['registry.example:5000/shop/web', {}],
    ['localhost/web:2', { tag: '2' }],
    ['Registry/web', {}],
    ['[::1]:5000/web:2', { tag: '2' }],
    [`shop/web:2@sha256:${hex}`, { tag: '2', digest: `sha256:${hex}` }],
  ])('%s has its parts', (image, parts) => {
    expect(parseImageReference(image)).toEqual(parts);
  });

  // The messages are those of a kubelet of v1.36.3.
  it.each([
    ['atombender/k8s-config-controller:', 'invalid reference format'],
    ['foo:bar:baz', 'invalid reference format'],
    ['foo//bar', 'invalid reference format'],
    [' foo', 'invalid reference format'],
    ['', 'invalid reference format'],
    [`foo:${'t'.repeat(129)}`, 'invalid reference format'],
    ['foo@sha256:0123', 'invalid reference format'],
    [`foo@sha256:${'a'.repeat(40)}`, 'invalid checksum digest length'],
    [`foo@sha256:${'A'.repeat(64)}`, 'invalid checksum digest format'],
    [`foo@md5:${'a'.repeat(32)}`, 'unsupported digest algorithm'],
    ['Foo/Bar', 'invalid reference format: repository name (Bar) must be lowercase'],
    ['foo/Bar', 'invalid reference format: repository name (foo/Bar) must be lowercase'],
    ['Bar', 'invalid reference format: repository name (library/Bar) must be lowercase'],
    [`x/${'a'.repeat(256)}`, 'repository name must not be more than 255 characters'],
    [hex, `invalid repository name (${hex}), cannot specify 64-byte hexadecimal strings`],
  ])('%j is invalid', (image, problem) => {
    expect(parseImageReference(image)).toEqual({ problem });
  });
});

test('a name of any length is judged at once', () => {
  fc.assert(
    fc.property(fc.constantFrom('a', 'a-', 'a.', 'a/', 'A', '[:'), fc.nat(20_000), (piece, times) => {
      parseImageReference(piece.repeat(times));
    }),
    { numRuns: 50 },
  );
});
