import { expect, test } from 'vitest';
import { annotations } from '../../api/names.ts';
import type { ConfigKey } from '../references/config-key.ts';
import { parsePin, readPin } from './pin.ts';

const refs = (foo: string, bar: string) =>
  new Map<ConfigKey, string>([
    ['ConfigMap/foo', foo],
    ['Secret/bar', bar],
  ]);
const versionOf = (_: string, object: string) => /^(foo|bar)-\d$/.exec(object)?.[1];
const read = (text: string | undefined, references = refs('foo-2', 'bar')) =>
  readPin(
    text === undefined ? {} : { [annotations.pin]: text },
    { references, current: refs('foo-3', 'bar-3') },
    versionOf,
  );

test('a workload without the annotation is not pinned', () => {
  expect(read(undefined)).toBeUndefined();
});

test('the pinned versions are kept, and of other configs what it has, or what is current', () => {
  expect(read('configmap/foo=foo-1')).toEqual({ references: refs('foo-1', 'bar-3'), problems: [] });
  expect(read('secret/bar=bar-1')).toEqual({ references: refs('foo-2', 'bar-1'), problems: [] });
});

test.each(['true', '', 'foo=foo-1', 'configmap/foo', '{"ConfigMap/foo":"foo-1"}'])(
  'the value %j is not valid, and the workload keeps what it has',
  (text) => {
    expect(parsePin({ [annotations.pin]: text })).toHaveProperty('problem');
    const { references, problems } = read(text) ?? {};
    expect(references).toEqual(refs('foo-2', 'bar-3'));
    expect(problems).toEqual([expect.stringContaining('not valid: must be version objects by config')]);
  },
);

test.each(['foo', 'foo-x', 'bar-1'])(
  '%s is not a version of foo, and the workload keeps what it has',
  (object) => {
    const { references, problems } = read(`configmap/foo=${object}`) ?? {};
    expect(references?.get('ConfigMap/foo')).toBe('foo-2');
    expect(problems).toEqual([
      `Annotation trimtab.dev/pin names "${object}", which is not a version of ConfigMap/foo`,
    ]);
  },
);
