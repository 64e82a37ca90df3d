import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactFields } from './log-redaction.ts';

const redacted = (text: string) => redactFields({ text }, () => false)['text'];

const token = 'eyJhbGciOi.eyJzdWIiOi.c2ln_-x';

test.each([
  [token, '[redacted]'],
  [`a ${token}, ${token}`, 'a [redacted], [redacted]'],
  [`Bearer ${token} x`, '[redacted] x'],
  [`x-${token}`, 'x-[redacted]'],
  [`eyJ-${token}.d`, '[redacted].d'],
  [`eyJ.${token}`, 'eyJ.[redacted]'],
  [`eyJa.b ${token}`, 'eyJa.b [redacted]'],
  ['eyJa.b.', '[redacted]'],
  [`xe${token}`, `xe${token}`],
  ['eyJ-Bearer x', 'eyJ-[redacted]'],
  ['eyJ-----BEGIN PRIVATE KEY-----x', 'eyJ[redacted]'],
  ['https://eyJa:b@host', 'https://[redacted]@host'],
])('%s is logged as %s', (text, logged) => {
  expect(redacted(text)).toBe(logged);
});

test('secrets of each format are redacted wherever they begin', () => {
  const secretText =
    /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*|\b(?:Bearer|Basic)\s+\S+|\beyJ[\w-]+\.[\w-]+\.[\w-]*|(?<=:\/\/)[^\s/@]+(?=@)/gi;
  const piece = fc.constantFrom(
    'eyJ',
    'eyJ',
    '.',
    '.',
    'a',
    '-',
    ' ',
    'Bearer ',
    '://',
    '@',
    '-----BEGIN PRIVATE KEY-----',
  );
  const seen = (text: string) => text.replaceAll('[redacted]', '');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 16 }), (pieces) => {
      const text = pieces.join('');
      expect(seen(String(redacted(text)))).toBe(seen(text.replace(secretText, '')));
    }),
    { numRuns: 1_000 },
  );
});

test('a long text is searched in linear time', () => {
  // An expression that searches for the rest of a token from each of its beginnings would take minutes.
  for (const text of [
    'eyJ-'.repeat(250_000),
    'eyJa.eyJa '.repeat(100_000),
    `eyJ${'a'.repeat(500_000)}.${'-eyJ'.repeat(100_000)}`,
  ])
    expect(redacted(text)).toBe(text);
});
