import fc from 'fast-check';
import { expect, test } from 'vitest';
import { setHash, stampByHash } from './stamp-by-hash.ts';
import { stampText } from './stamp-text.ts';

const key = 'configMapVersion';
const time = fc.nat(4_000_000_000);

/** Texts that are almost, or really, files with the key. */
const parts = [
  ...['configMapVersion', 'name', 'value', 'x', '-', '--', '.', '/', 'configMapHash', 'é', 'checksum/config'],
  ...[
    ': ',
    ':',
    '=',
    ' = ',
    '=>',
    '<',
    '>',
    ',',
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '`',
    '&a ',
    '*a',
    '!!str ',
    '\\',
  ],
  ...[
    '12',
    '0',
    '7 ',
    '"12"',
    "'3'",
    '""',
    '\n',
    '\r\n',
    '\n\n',
    '  ',
    '\t',
    '- ',
    '# ',
    ' #',
    '// ',
    '/*',
    '*/',
    ';',
  ],
  ...[
    'configMapVersion: 1\n',
    '- name: configMapVersion\n',
    '  value: "12"\n',
    '"configMapVersion": 5,',
    '<!--',
    '-->',
  ],
];
const text = fc.array(fc.constantFrom(...parts), { maxLength: 60 }).map((each) => each.join(''));

/** One of the usual forms, with a number. */
const form = fc.constantFrom<(number: string) => string>(
  (number) => `configMapVersion: ${number}\n`,
  (number) => `  "configMapVersion": "${number}",\r\n`,
  (number) => `configMapVersion=${number}\n`,
  (number) => `- name: configMapVersion\n  value: '${number}'\n`,
  (number) => `{"name":"configMapVersion","value":"${number}"}\n`,
);
const number = fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String);
const file = fc.array(fc.tuple(form, number), { minLength: 1, maxLength: 5 }).map((entries) => ({
  text: entries.map(([write, value]) => write(value)).join('# other\n'),
  numbers: entries.map(([, value]) => BigInt(value)),
}));

test('the new number is greater than every old one, and not before the time; also when the clock goes back', () => {
  fc.assert(
    fc.property(file, fc.array(time, { minLength: 1, maxLength: 4 }), ({ text, numbers }, times) => {
      let last = numbers.reduce((max, each) => (each > max ? each : max));
      let current = text;
      for (const now of times) {
        const stamped = stampText(current, { key, now });
        expect(stamped).toMatchObject({ problems: [], found: numbers.length });
        const found = stamped.text.match(/(?<=["' =])\d+/g)?.map(BigInt) ?? [];
        expect(new Set(found).size).toBe(1);
        const [next = 0n] = found;
        expect(next > last && next >= BigInt(now)).toBe(true);
        [last, current] = [next, stamped.text];
      }
    }),
  );
});

const withoutNumbers = (each: string) => each.replaceAll(/\d+/g, '');

test('nothing but numbers changes, and no line that is a comment, whatever the text is', () => {
  fc.assert(
    fc.property(text, time, (before, now) => {
      const { text: after, problems, changed } = stampText(before, { key, now });
      if (problems.length > 0) expect(after).toBe(before);
      else expect(changed).toBe(true);
      expect(withoutNumbers(after)).toBe(withoutNumbers(before));
      const comments = (each: string) => each.split('\n').filter((line) => /^\s*(#|\/\/|;)/.test(line));
      expect(comments(after)).toEqual(comments(before));
    }),
    { numRuns: 2_000 },
  );
});

const hash = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 });

test('with the same hash, the second stamp changes nothing; with another, the number increases', () => {
  fc.assert(
    fc.property(text, hash, hash, time, (noise, one, other, now) => {
      const before = `${noise}\nconfigMapVersion: 3\nconfigMapHash: ""\n`;
      const options = { key, hashKey: 'configMapHash', now };
      const first = stampByHash(before, { ...options, hash: one });
      fc.pre(first.problems.length === 0);
      expect(first.changed).toBe(true);
      const again = stampByHash(first.text, { ...options, hash: one, now: now + 1 });
      expect(again).toMatchObject({ text: first.text, changed: false, problems: [] });
      const changed = stampByHash(first.text, { ...options, hash: other, now: 0 });
      const numberIn = (each: string) => BigInt(/.*configMapVersion: (\d+)/s.exec(each)?.[1] ?? '');
      expect(changed.changed).toBe(one !== other);
      if (one !== other) expect(numberIn(changed.text) > numberIn(first.text)).toBe(true);
    }),
  );
});

test('an annotation is set once, whatever the text is', () => {
  fc.assert(
    fc.property(text, hash, (noise, value) => {
      const before = `${noise}\nchecksum/config: "old"\n`;
      const options = { key: 'checksum/config', hash: value };
      const first = setHash(before, options);
      if (first.problems.length > 0) expect(first.text).toBe(before);
      else {
        expect(first.text).toContain(`\nchecksum/config: "${value}"\n`);
        expect(setHash(first.text, options)).toMatchObject({ text: first.text, changed: false });
      }
    }),
    { numRuns: 1_000 },
  );
});
