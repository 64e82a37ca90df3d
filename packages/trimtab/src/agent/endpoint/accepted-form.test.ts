import { expect, test } from 'vitest';
import { acceptedForm } from './accepted-form.ts';

test.each([
  [undefined, 'json'],
  ['', 'json'],
  ['*/*', 'json'],
  ['application/json', 'json'],
  ['application/yaml', 'json'],
  ['text/plain', 'text'],
  ['Text/Plain; charset=utf-8', 'text'],
  ['text/*', 'text'],
  ['text/plain, */*', 'text'],
  ['application/json, text/plain, */*', 'json'],
  ['text/plain;q=0.5, application/json;q=0.9', 'json'],
  ['text/plain;q=0.9, application/json;q=0.5', 'text'],
  ['text/plain;q=0', 'json'],
  ['text/plain;q=much', 'json'],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'json'],
])('Accept: %s is answered with %s', (accept, form) => {
  expect(acceptedForm(accept)).toBe(form);
});
