import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { automaticName, automaticPatch, impossibleNameProblem, versionNameProblem } from './version-name.ts';

describe('a version may be called', () => {
  test.each([
    '1.0.0',
    'initial release',
    'v2',
    'Ünïcode 版本 🚢',
    'x'.repeat(200),
    '50%ad',
    '%2e%2e',
    '.hidden',
    '...',
    'a;b?c#d+e&f=g:h@i',
    'currently',
    'current-1',
    'pre.current.1',
    'cur.rent',
    'not current',
    'มกราคม',
    'ёлка',
  ])('%s', (name) => {
    expect(versionNameProblem(name)).toBeUndefined();
  });
});

describe('a version may not be called', () => {
  test.each([
    ['', 'must not be empty'],
    ['current', 'reserved'],
    ['..', 'paths'],
    [' 1.0.0', 'white space'],
    ['two\nlines', 'one line'],
    ['two\u2028lines', 'one line'],
    ['x'.repeat(254), 'no more than 253'],
    ['😀'.repeat(254), 'no more than 253'],
    ['x'.repeat(2_000), 'no more than 253'],
    ['a/b', 'separators of the path'],
    ['a\\b', 'separators of the path'],
    ['1.0\u200b.0', 'invisible characters (U+200B)'],
    ['1.0\u202e.0', 'invisible characters (U+202E)'],
    ['1.0\u00ad.0', 'invisible characters (U+00AD)'],
    ['ship\ufe0f', 'invisible characters (U+FE0F)'],
    ['a\u3164b', 'invisible characters (U+3164)'],
    ['a\u{e0041}b', 'invisible characters (U+E0041)'],
    ['a\ue000b', 'private use (U+E000)'],
    ['a\u{10ffff}b', 'not assigned'],
    ['a\ud800b', 'not assigned'],
    ['a\ufffdb', 'not assigned'],
    ['1.0\u00a00', 'spaces other than U+0020 (U+00A0)'],
    ['\u0301', 'combining mark'],
    ['a \u0301', 'combining mark'],
    ['cafe\u0301', 'NFC'],
    ['\u212b', 'NFC'],
    ['CURRENT', 'reads like'],
    ['Current', 'reads like'],
    ['сurrent', 'reads like'],
    ['CURRΕNT', 'reads like'],
    ['ｃｕｒｒｅｎｔ', 'reads like'],
    ['𝐜𝐮𝐫𝐫𝐞𝐧𝐭', 'reads like'],
    ['ⅽurrent', 'reads like'],
    ['cürrent', 'reads like'],
    ['ᴄᴜʀʀᴇɴᴛ', 'reads like'],
    ['🅲🆄🆁🆁🅴🅽🆃', 'reads like'],
    ['🅒🅤🅡🅡🅔🅝🅣', 'reads like'],
    ['🇨🇺🇷🇷🇪🇳🇹', 'reads like'],
    ['ᑕurrent', 'reads like'],
    ['⒞⒰⒭⒭⒠⒩⒯', 'reads like'],
    ['(current)', 'reads like'],
    ['\u{10302}urrent', 'reads like'],
    ['\u{102a2}urrent', 'reads like'],
    ['\u{118e9}urrent', 'reads like'],
    ['\u{118f2}urrent', 'reads like'],
    ['\u{1f74c}urrent', 'reads like'],
    ['c\u{16f42}rrent', 'reads like'],
    ['cu\u{104b4}rent', 'reads like'],
    ['cu\u{16f35}rent', 'reads like'],
    ['cu\u{1d216}rent', 'reads like'],
    ['curr\u{10286}nt', 'reads like'],
    ['curr\u{118a6}nt', 'reads like'],
    ['curr\u{118ae}nt', 'reads like'],
    ['curre\u{10513}t', 'reads like'],
    ['curren\u{10315}', 'reads like'],
    ['curren\u{118bc}', 'reads like'],
    ['curren\u{1f768}', 'reads like'],
    ['ȼurrent', 'reads like'],
    ['ƈurrent', 'reads like'],
    ['currenŧ', 'reads like'],
    ['CURREŊT', 'reads like'],
    ['"current"', 'reads like'],
    ["'current'", 'reads like'],
    ['`current`', 'reads like'],
    ['[current]', 'reads like'],
    ['current.', 'reads like'],
    ['«Current»', 'reads like'],
    ['curren†…', 'reads like'],
  ])('%j', (name, problem) => {
    expect(versionNameProblem(name)).toContain(problem);
  });
});

const names = fc.string({ unit: 'binary', maxLength: 300 }).filter((name) => !versionNameProblem(name));

/** How kubectl, Go's net/url and browsers write a segment: they keep as they are what a path may contain. */
function laxlyEncoded(name: string): string {
  return encodeURIComponent(name).replace(/%(24|26|2B|2C|3A|3B|3D|40)/g, decodeURIComponent);
}

test('a name that can be created survives a path, however the client encodes it', () => {
  fc.assert(
    fc.property(names, (name) => {
      for (const segment of [encodeURIComponent(name), laxlyEncoded(name)]) {
        const { pathname } = new URL(`http://gateway/foo/${segment}`);
        expect(decodeURIComponent(pathname)).toBe(`/foo/${name}`);
        // kubectl decodes a path before it encodes it again.
        expect(decodeURIComponent(segment).split('/')).toHaveLength(1);
      }
    }),
  );
});

test('a name that can be created is one visible line', () => {
  fc.assert(
    fc.property(names, (name) => {
      expect(name).toBe(name.normalize('NFC').trim());
      expect(name).toMatch(/^[^\p{C}\p{Zl}\p{Zp}\p{DI}]+$/u);
      expect(name).toMatch(/[^\p{M}\p{Z}]/u);
    }),
  );
});

const lettersOfCurrent = [
  ['c', 'C', 'с', 'С', 'ϲ', 'Ϲ', 'ｃ', '𝒄', 'ⅽ', 'ć'],
  ['u', 'U', 'υ', 'ս', 'Ս', 'ｕ', '𝕦', 'ü'],
  ['r', 'R', 'г', 'Ꮢ', 'ʀ', 'ｒ', '𝔯', 'ŕ'],
  ['r', 'R', 'г', 'Ꮢ', 'ʀ', 'ｒ', '𝔯', 'ŕ'],
  ['e', 'E', 'е', 'Е', 'Ε', 'ℯ', 'ｅ', 'ё', 'é'],
  ['n', 'N', 'Ν', 'η', 'ո', 'ｎ', '𝓃', 'ñ'],
  ['t', 'T', 'Т', 'т', 'Τ', 'τ', 'ｔ', '𝖙'],
];

test('no spelling of "current" is a name, whatever scripts and cases it mixes', () => {
  const spelling = fc.tuple(...lettersOfCurrent.map((letters) => fc.constantFrom(...letters)));
  fc.assert(
    fc.property(spelling, (letters) => {
      expect(versionNameProblem(letters.join(''))).toMatch(/reserved|NFC/);
    }),
  );
});

test('versions of earlier releases may have names that are refused now', () => {
  for (const name of ['CURRENT', 'a/b', 'cafe\u0301', '1.0\u200b.0'])
    expect(impossibleNameProblem(name)).toBeUndefined();
  for (const name of ['', 'current', '..', 'two\nlines'])
    expect(versionNameProblem(name)).toBe(impossibleNameProblem(name));
});

test('automatic names are told from those that only look alike', () => {
  expect(automaticPatch(automaticName(12))).toBe(12);
  for (const name of ['1.0', '1.0.01', '1.0.-1', '1.0.1 ', '2.0.1', '1.0.1234567890123456']) {
    expect(automaticPatch(name)).toBeUndefined();
  }
});
