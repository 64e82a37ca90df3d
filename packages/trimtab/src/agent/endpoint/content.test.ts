import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Content, etagKeyOf, matches } from './content.ts';

const configs = [
  { kind: 'Secret', name: 'db', version: '1.0.0', entries: new Map([['pin', Buffer.from('1234')]]) },
] as const;
const key = etagKeyOf('a private key');

describe('an ETag', () => {
  test('is the same for the same content, also after a restart of the agent', () => {
    const again = new Content(configs, etagKeyOf('a private key'));
    expect(new Content(configs, key).as('json').etag).toBe(again.as('json').etag);
  });

  test('differs for other content, another version and another form', () => {
    const other = new Map([['pin', Buffer.from('1235')]]);
    const tags = [
      new Content(configs, key).as('json'),
      new Content(configs, key).as('text'),
      new Content([{ ...configs[0], version: '1.0.1' }], key).as('json'),
      new Content([{ ...configs[0], entries: other }], key).as('json'),
    ].map(({ etag }) => etag);
    expect(new Set(tags).size).toBe(4);
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]{32}"$/);
  });

  test('cannot be compared with guesses of a Secret', () => {
    const { etag, body } = new Content(configs, key).as('json');
    const guessed = createHash('sha256').update('json\n').update(body).digest('base64url');
    expect(guessed).not.toContain(etag.slice(1, 12));
    expect(new Content(configs, etagKeyOf('the key of another pod')).as('json').etag).not.toBe(etag);
  });
});

test.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ['*', true],
  ['"b"', false],
  ['a', false],
  ['', false],
])('If-None-Match: %s matches "a": %s', (header, isMatch) => {
  expect(matches(header, '"a"')).toBe(isMatch);
});
