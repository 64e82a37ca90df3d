import { expect, test } from 'vitest';
import { shellWords } from './shell-words.ts';

test('only words that a shell would change are quoted', () => {
  expect(shellWords('activate', 'secret/foo', '1.0.1')).toBe('activate secret/foo 1.0.1');
  expect(shellWords('initial release', "it's", '$HOME', '')).toBe(`'initial release' 'it'\\''s' '$HOME' ''`);
});
