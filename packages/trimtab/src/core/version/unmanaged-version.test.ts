import { expect, test } from 'vitest';
import { unmanagedVersionName } from './unmanaged-version.ts';

test.each([
  ['the annotation', { 'trimtab.dev/version': 'spring' }, 'spring'],
  ['the default, without the annotation', undefined, '1.0.0'],
  ['the default, as no version has a name that is not valid', { 'trimtab.dev/version': 'current' }, '1.0.0'],
])('the version of an unmanaged config is named by %s', (_, annotations, name) => {
  expect(unmanagedVersionName({ metadata: { name: 'foo', ...(annotations && { annotations }) } })).toBe(name);
});
