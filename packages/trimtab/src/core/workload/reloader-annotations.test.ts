import { expect, test } from 'vitest';
import { manages } from './opt-in.ts';
import { reloaderManagement } from './reloader-annotations.ts';

const references = [
  { kind: 'ConfigMap', name: 'foo' },
  { kind: 'ConfigMap', name: 'matched' },
  { kind: 'ConfigMap', name: 'ignored' },
  { kind: 'Secret', name: 'db' },
] as const;

const config = (_: string, name: string) => {
  if (name === 'matched') return { 'reloader.stakater.com/match': 'true' };
  return name === 'ignored' ? { 'reloader.stakater.com/ignore': 'true' } : undefined;
};

test.each<[Record<string, string>, string[]]>([
  [{}, []],
  [{ 'reloader.stakater.com/auto': 'true' }, ['foo', 'matched', 'db']],
  [{ 'reloader.stakater.com/auto': 'false', 'configmap.reloader.stakater.com/reload': 'foo' }, []],
  [{ 'configmap.reloader.stakater.com/auto': 'true' }, ['foo', 'matched']],
  [{ 'secret.reloader.stakater.com/auto': 'true' }, ['db']],
  [{ 'configmap.reloader.stakater.com/reload': 'foo, other' }, ['foo']],
  [{ 'secret.reloader.stakater.com/reload': 'foo,db' }, ['db']],
  [{ 'reloader.stakater.com/search': 'true' }, ['matched']],
  [
    { 'reloader.stakater.com/auto': 'true', 'configmaps.exclude.reloader.stakater.com/reload': 'foo' },
    ['matched', 'db'],
  ],
])('a manifest made for Reloader with %j', (annotations, expected) => {
  const management = reloaderManagement(annotations, references, config);
  expect(references.filter((reference) => manages(management, reference)).map(({ name }) => name)).toEqual(
    expected,
  );
});
