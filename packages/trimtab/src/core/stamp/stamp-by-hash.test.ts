import { describe, expect, test } from 'vitest';
import { setHash, stampByHash } from './stamp-by-hash.ts';

const now = 1_763_480_000;
const [old, hash] = ['0'.repeat(64), 'a1'.repeat(32)];
const options = { key: 'configMapVersion', hashKey: 'configMapHash', now, hash };

describe('a stamp by hash', () => {
  test('increases the number when the hash differs, and keeps the hash', () => {
    const text = `configMapVersion: "7" # x\nconfigMapHash: ${old}\n`;
    expect(stampByHash(text, options)).toEqual({
      text: `configMapVersion: "${now}" # x\nconfigMapHash: ${hash}\n`,
      changed: true,
      found: 1,
      problems: [],
      summary: `configMapVersion 7 -> ${now}`,
    });
  });

  test('changes nothing when the hash is the same', () => {
    const text = `{"configMapHash":"${hash}","configMapVersion":7}`;
    expect(stampByHash(text, options)).toMatchObject({
      ...{ text, changed: false, summary: 'configMapVersion 7 is up to date' },
    });
  });

  test('works in a container’s environment', () => {
    const text = '- name: configMapHash\n  value: ""\n- name: configMapVersion\n  value: "1"\n';
    expect(stampByHash(text, options).text).toBe(
      `- name: configMapHash\n  value: "${hash}"\n- name: configMapVersion\n  value: "${now}"\n`,
    );
  });

  test('is refused when the text has no place for the hash', () => {
    const text = 'configMapVersion: 7\n';
    expect(stampByHash(text, options)).toMatchObject({
      text,
      problems: [
        { message: expect.stringMatching(/^key configMapHash not found: add the key with the value ""/) },
      ],
    });
    expect(stampByHash('configMapHash: ""', options).problems).toEqual([
      { message: expect.stringMatching(/^key configMapVersion not found/) },
    ]);
  });
});

describe('an annotation', () => {
  test.each<[what: string, before: string, after: string]>([
    ['in YAML', `a:\n  checksum/config: ${old} # x\n`, `a:\n  checksum/config: ${hash} # x\n`],
    ['in YAML with quotes', `checksum/config: '${old}'\n`, `checksum/config: '${hash}'\n`],
    ['in JSON', `{"checksum/config":"${old}","b":"c"}`, `{"checksum/config":"${hash}","b":"c"}`],
    ['for the first time', 'checksum/config: ""\r\n', `checksum/config: "${hash}"\r\n`],
  ])('%s is set to the hash', (_, before, after) => {
    const key = 'checksum/config';
    expect(setHash(before, { key, hash })).toMatchObject({ text: after, changed: true, problems: [] });
    expect(setHash(after, { key, hash })).toMatchObject({ text: after, changed: false });
  });

  test.each<[text: string, message: RegExp]>([
    ['a: 1\n', /^key checksum\/config not found/],
    ['checksum/configs: 1\nmy.checksum/config2: x', /not found/],
    ['checksum/config: {{ include "x" . | sha256sum }}', /is a template expression/],
    ['checksum/config:\n', /set it to ""/],
  ])('is refused in %j', (text, message) => {
    const { problems } = setHash(text, { key: 'checksum/config', hash });
    expect(problems[0]?.message).toMatch(message);
  });
});
