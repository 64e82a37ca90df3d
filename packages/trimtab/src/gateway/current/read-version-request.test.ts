import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Refusal } from '../../versions/refusal.ts';
import { parseVersionRequest } from './read-version-request.ts';

const about = { kind: 'ConfigMap' as const, namespace: 'default', name: 'foo' };
const codeOf = (text: string): unknown => {
  try {
    return parseVersionRequest(text, about);
  } catch (error) {
    return error instanceof Refusal ? error.body.code : error;
  }
};

test.each([
  ['{"version": "1.0.1"}', '1.0.1'],
  ['{ version: 1.0.1 } # documented spelling', '1.0.1'],
  ['version: initial release', 'initial release'],
  ['{"version": "1/2 Ü"}', '1/2 Ü'],
  ['{"version": 1.10}', '1.10'],
  ['version: 0x10', '0x10'],
])('%s asks for %s', (text, version) => {
  expect(parseVersionRequest(text, about)).toBe(version);
});

test.each([
  ['', 400],
  ['[]', 400],
  ['"1.0.1"', 400],
  ['{', 400],
  ['{"version": "a", "version": "b"}', 400],
  ['a: &x 1\nversion: *x', 422],
  ['{}', 422],
  ['{"version": null}', 422],
  ['{"version": [1.0]}', 422],
  ['{"version": {"name": "x"}}', 422],
  ['{"version": ""}', 422],
  ['{"version": "current"}', 422],
  ['{"version": ".."}', 422],
  ['{"version": "1.0.1", "force": true}', 422],
  ['{"__proto__": {"version": "1.0.1"}}', 422],
])('%s is answered %d', (text, code) => {
  expect(codeOf(text)).toBe(code);
});

test('whatever is sent, the answer is a name or a refusal', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.json().map((json) => `{"version": ${json}}`),
      ),
      (text) => {
        const answer = codeOf(text);
        expect(typeof answer === 'string' || answer === 400 || answer === 422).toBe(true);
      },
    ),
  );
});
