import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Refusal } from '../../versions/refusal.ts';
import type { BodyFormat } from '../request/content-type.ts';
import { parseVersionRequest } from './read-version-request.ts';

const about = { kind: 'ConfigMap' as const, namespace: 'default', name: 'foo' };
const request = (text: string, format: BodyFormat) => parseVersionRequest(Buffer.from(text), format, about);
const codeOf = (text: string, format: BodyFormat): unknown => {
  try {
    return request(text, format);
  } catch (error) {
    return error instanceof Refusal ? error.body.code : error;
  }
};

test.each([
  ['{"version": "1.0.1"}', '1.0.1', 'json'],
  ['{"version": "1/2 Ü"}', '1/2 Ü', 'json'],
  ['{"version": 1.10}', '1.10', 'json'],
  ['{"version": 9007199254740993}', '9007199254740993', 'json'],
  ['{ version: 1.0.1 } # documented spelling', '1.0.1', 'yaml'],
  ['{"version": 1.10}', '1.10', 'yaml'],
  ['version: initial release', 'initial release', 'yaml'],
  ['version: 0x10', '0x10', 'yaml'],
] as const)('%s asks for %s in %s', (text, version, format) => {
  expect(request(text, format)).toBe(version);
});

test.each([
  ['', 400],
  ['[]', 400],
  ['"1.0.1"', 400],
  ['{', 400],
  ['{"version": "a", "version": "b"}', 400],
  ['version: 1.0.1', 400],
  ['{}', 422],
  ['{"version": null}', 422],
  ['{"version": [1.0]}', 422],
  ['{"version": {"name": "x"}}', 422],
  ['{"version": ""}', 422],
  ['{"version": "current"}', 422],
  ['{"version": ".."}', 422],
  ['{"version": "1.0.1", "force": true}', 422],
  ['{"__proto__": {"version": "1.0.1"}}', 422],
])('%s as JSON is answered %d', (text, code) => {
  expect(codeOf(text, 'json')).toBe(code);
});

test.each([
  ['', 400],
  ['- 1.0.1', 400],
  ['version: a\nversion: b', 400],
  ['a: &x 1\nversion: *x', 422],
  ['version: [1.0]', 422],
])('%s as YAML is answered %d', (text, code) => {
  expect(codeOf(text, 'yaml')).toBe(code);
});

test('whatever is sent, the answer is a name or a refusal', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.json().map((json) => `{"version": ${json}}`),
      ),
      fc.constantFrom('json', 'yaml'),
      (text, format) => {
        const answer = codeOf(text, format);
        expect(typeof answer === 'string' || answer === 400 || answer === 422).toBe(true);
      },
    ),
  );
});
