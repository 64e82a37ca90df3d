import { expect, test } from 'vitest';
import { goJsonError } from './go-json-error.ts';

test.each([
  ['', 'unexpected end of JSON input'],
  ['{"a"', 'unexpected end of JSON input'],
  ['{} x', "invalid character 'x' after top-level value"],
  ['{"a":nope}', "invalid character 'o' in literal null (expecting 'u')"],
  [`{'a':1}`, "invalid character '\\'' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"}', `invalid character '"' after object key:value pair`],
  ['[1 2]', "invalid character '2' after array element"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['-', "invalid character ' ' in numeric literal"],
  ['{"a":"\\x"}', "invalid character 'x' in string escape code"],
])('%j is no JSON: %s', (text, message) => {
  expect(goJsonError(text)).toBe(message);
});
