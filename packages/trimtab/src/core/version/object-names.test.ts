import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  configLabelValue,
  configNameIn,
  rolloutName,
  versionLabelValue,
  versionObjectName,
} from './object-names.ts';

const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const labelValue = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const configName = fc.stringMatching(
  /^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,40}[a-z0-9])?){0,8}$/,
);

test('a version is named after its config, with ten characters that nothing else has', () => {
  expect(versionObjectName('foo', 'uid-1', '1.0.0')).toMatch(/^foo-[a-z2-7]{10}$/);
});

test('the config is read from the name of a version, unless it was cut', () => {
  expect(configNameIn(versionObjectName('foo-bar', 'uid-1', '1.0.0'))).toBe('foo-bar');
  expect(configNameIn(versionObjectName('f'.repeat(253), 'uid-1', '1.0.0'))).toBeUndefined();
  expect(configNameIn('foo')).toBeUndefined();
});

describe('the name of a version', () => {
  test('is the same each time, so that a crash in between makes no second object', () => {
    expect(versionObjectName('foo', 'uid-1', '1.0.0')).toBe(versionObjectName('foo', 'uid-1', '1.0.0'));
  });

  test('differs for another version, and for a rollout that was made anew', () => {
    const names = [
      versionObjectName('foo', 'uid-1', '1.0.0'),
      versionObjectName('foo', 'uid-1', '1.0.1'),
      versionObjectName('foo', 'uid-2', '1.0.0'),
    ];
    expect(new Set(names).size).toBe(3);
  });
});

test('every name is allowed in Kubernetes, however long the config name is and whatever the version is called', () => {
  const longest = configName.map((name) => `${name}-${'x'.repeat(253)}`.slice(0, 253));
  fc.assert(
    fc.property(fc.oneof(configName, longest), fc.string({ unit: 'grapheme' }), (config, version) => {
      const object = versionObjectName(config, '1b2c', version);
      expect(object).toMatch(dnsSubdomain);
      expect(object.length).toBeLessThanOrEqual(253);
      expect(rolloutName('Secret', config)).toMatch(dnsSubdomain);
      expect(rolloutName('Secret', config).length).toBeLessThanOrEqual(253);
      expect(configLabelValue(config)).toMatch(labelValue);
      expect(configLabelValue(config).length).toBeLessThanOrEqual(63);
    }),
  );
});

test('two long names that share their beginning stay apart', () => {
  const [one, other] = [`${'a'.repeat(250)}b`, `${'a'.repeat(250)}c`];
  expect(configLabelValue(one)).not.toBe(configLabelValue(other));
  expect(rolloutName('ConfigMap', one)).not.toBe(rolloutName('ConfigMap', other));
});

test.each(['1.0.0', 'v2_final', '7', 'a'.repeat(63)])('the version name %j is a label, too', (name) => {
  expect(versionLabelValue(name)).toBe(name);
});

test.each(['first try', '-1', '1.', 'a/b', 'schön', 'a'.repeat(64), ''])(
  'the version name %j is not',
  (name) => {
    expect(versionLabelValue(name)).toBeUndefined();
  },
);
