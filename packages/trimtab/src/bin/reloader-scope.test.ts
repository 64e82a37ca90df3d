import { expect, test } from 'vitest';
import { reloaderFlagProblems, reloaderScope } from './reloader-scope.ts';

test('without selectors, annotations of Reloader opt in everywhere', () => {
  expect(reloaderFlagProblems({ reloaderAnnotations: true })).toEqual([]);
  expect(reloaderScope({ reloaderAnnotations: true })).toEqual({});
});

test('each selector limits what it is about', () => {
  const scope = reloaderScope({
    reloaderAnnotations: true,
    reloaderNamespaceSelector: 'env=prod',
    reloaderResourceLabelSelector: 'reload',
  });
  expect(scope.namespaces?.({ env: 'prod' })).toBe(true);
  expect(scope.namespaces?.({ reload: '' })).toBe(false);
  expect(scope.configs?.({ reload: '' })).toBe(true);
});

test('a selector that is not valid, or without an effect, is a problem', () => {
  const flags = { reloaderNamespaceSelector: 'env:prod', reloaderResourceLabelSelector: '' };
  expect(reloaderFlagProblems({ ...flags, reloaderAnnotations: true })).toEqual([
    '--reloader-namespace-selector has the value "env:prod", which is not valid: must be a label selector such as "env=prod,tier in (web,api)"',
    expect.stringContaining('--reloader-resource-label-selector has the value ""'),
  ]);
  expect(reloaderFlagProblems({ ...flags, reloaderAnnotations: false })).toEqual([
    '--reloader-namespace-selector requires --reloader-annotations',
    '--reloader-resource-label-selector requires --reloader-annotations',
  ]);
});
