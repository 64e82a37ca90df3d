import { validateHeaderValue } from 'node:http';
import { expect, test } from 'vitest';
import { warningHeaders } from './warning-headers.ts';

test('a warning is a quoted string in ASCII', () => {
  expect(warningHeaders(['a "b" \\ 初\n'])).toEqual(['299 trimtab "a \\"b\\" \\\\ ??"']);
});

test.each([
  ['one warning of 3 MB', ['x'.repeat(3_000_000)], 1],
  ['one warning of quotes', ['"'.repeat(3_000_000)], 1],
  ['5,000 warnings', Array.from({ length: 5_000 }, () => 'é'.repeat(2_000)), 8],
])('%s fit into the headers of a response', (_, warnings, count) => {
  const headers = warningHeaders(warnings);
  expect(headers).toHaveLength(count);
  expect(headers.join().length).toBeLessThan(9_000);
  for (const header of headers) validateHeaderValue('warning', header);
});

test('warnings that are left out are counted', () => {
  const headers = warningHeaders(Array.from({ length: 5_000 }, () => 'x'.repeat(1_000)));
  expect(headers.at(-1)).toBe('299 trimtab "and 4992 more warnings"');
});
