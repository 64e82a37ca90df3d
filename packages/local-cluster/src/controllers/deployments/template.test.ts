import fc from 'fast-check';
import { expect, test } from 'vitest';
import { templateOf } from '../../../test/support/workload-objects.ts';
import type { PodTemplate } from '../../objects/pod.ts';
import { hashLabel, sameTemplate, templateHash } from './template.ts';

const plain = templateOf();
const withMeta = (metadata: PodTemplate['metadata']): PodTemplate => ({
  ...plain,
  ...(metadata && { metadata }),
});

test.each<[string, PodTemplate, boolean]>([
  ['itself', plain, true],
  ['with the label of its hash', withMeta({ labels: { [hashLabel]: 'x', app: 'web' } }), true],
  ['with an empty list of annotations', withMeta({ ...plain.metadata, annotations: {} }), true],
  ['with another label', withMeta({ labels: { app: 'web', tier: 'front' } }), false],
  ['with another image', templateOf('v2'), false],
  ['with an empty list of volumes', { ...plain, spec: { ...plain.spec, volumes: [] } }, true],
  ['with fields in another order', { spec: plain.spec, metadata: { ...plain.metadata } }, true],
])('a template and the same one %s: equal is %s', (_, other, same) => {
  expect(sameTemplate(plain, other)).toBe(same);
  expect(sameTemplate(other, plain)).toBe(same);
});

test('a volume with nothing in it is not the same as no source', () => {
  const volume = (extra: object) => ({
    ...plain,
    spec: { ...plain.spec, volumes: [{ name: 'v', ...extra }] },
  });
  expect(sameTemplate(volume({ emptyDir: {} }), volume({}))).toBe(false);
});

test('a hash has Kubernetes letters, depends on the template and on the collisions', () => {
  fc.assert(
    fc.property(fc.string(), fc.option(fc.nat(9), { nil: undefined }), (image, count) => {
      const hash = templateHash(templateOf(image), count);
      expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
      expect(templateHash(templateOf(image), count)).toBe(hash);
      expect(templateHash(templateOf(image), (count ?? 0) + 1)).not.toBe(hash);
    }),
  );
  expect(templateHash(templateOf('a'), undefined)).not.toBe(templateHash(templateOf('b'), undefined));
});
