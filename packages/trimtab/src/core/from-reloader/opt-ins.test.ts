import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { manages } from '../workload/opt-in.ts';
import { type AnnotatedConfig, reloaderManagement } from './opt-ins.ts';

const references = [
  { kind: 'ConfigMap', name: 'foo' },
  { kind: 'ConfigMap', name: 'matched' },
  { kind: 'ConfigMap', name: 'ignored' },
  { kind: 'Secret', name: 'db' },
] as const;

const annotationsOf: Record<string, Record<string, string>> = {
  matched: { 'reloader.stakater.com/match': 'true' },
  ignored: { 'reloader.stakater.com/ignore': 'true' },
};

function managedNames(
  annotations: Record<string, string>,
  templateAnnotations: Record<string, string> = {},
  config: Partial<AnnotatedConfig> = {},
): string[] {
  const management = reloaderManagement({ annotations, templateAnnotations }, references, (_, name) => ({
    annotations: annotationsOf[name] ?? {},
    isForReloader: true,
    ...config,
  }));
  return references.filter((reference) => manages(management, reference)).map(({ name }) => name);
}

const auto = { 'reloader.stakater.com/auto': 'true' };
const notAuto = { 'reloader.stakater.com/auto': 'false' };
const search = { 'reloader.stakater.com/search': 'true' };
const listed = { 'configmap.reloader.stakater.com/reload': 'foo' };

test.each<[Record<string, string>, string[]]>([
  [{}, []],
  [auto, ['foo', 'matched', 'db']],
  [{ 'reloader.stakater.com/auto': 'True' }, ['foo', 'matched', 'db']],
  [{ 'reloader.stakater.com/auto': 'yes' }, []],
  [notAuto, []],
  [{ 'configmap.reloader.stakater.com/auto': 'true' }, ['foo', 'matched']],
  [{ 'secret.reloader.stakater.com/auto': 'true' }, ['db']],
  [{ 'configmap.reloader.stakater.com/reload': 'foo, other' }, ['foo']],
  [{ 'configmap.reloader.stakater.com/reload': 'f.*,(' }, ['foo']],
  [{ 'configmap.reloader.stakater.com/reload': '' }, []],
  [{ 'configmap.reloader.stakater.com/reload': 'ignored' }, []],
  [{ 'secret.reloader.stakater.com/reload': 'foo,db' }, ['db']],
  [search, ['matched']],
  [{ 'reloader.stakater.com/search': 'yes' }, []],
  [{ ...auto, 'configmaps.exclude.reloader.stakater.com/reload': 'foo' }, ['matched', 'db']],
  [{ ...auto, 'configmaps.exclude.reloader.stakater.com/reload': 'f.*' }, ['foo', 'matched', 'db']],
  [{ ...auto, 'secrets.exclude.reloader.stakater.com/reload': 'db, foo' }, ['foo', 'matched']],
  [{ ...listed, 'configmaps.exclude.reloader.stakater.com/reload': 'foo' }, []],
])('the annotations %j opt in', (annotations, expected) => {
  expect(managedNames(annotations)).toEqual(expected);
});

describe('"false" of one annotation does not undo another opt-in, as in Reloader', () => {
  test.each<[Record<string, string>, string[]]>([
    [{ ...notAuto, ...listed }, ['foo']],
    [{ ...notAuto, ...search }, ['matched']],
    [{ ...notAuto, 'secret.reloader.stakater.com/auto': 'true' }, ['db']],
    [{ ...auto, 'secret.reloader.stakater.com/auto': 'false' }, ['foo', 'matched', 'db']],
  ])('%j', (annotations, expected) => {
    expect(managedNames(annotations)).toEqual(expected);
  });
});

test('a list that is too large opts nothing in, and an exclusion counts whatever its length is', () => {
  const reload = 'configmap.reloader.stakater.com/reload';
  const large = Array.from({ length: 40_000 }, (_, index) => `a${index}`).join(',');
  expect(managedNames({ [reload]: `foo,${large}` })).toEqual([]);
  expect(managedNames({ ...search, [reload]: `foo,${large}` })).toEqual(['matched']);
  const exclude = { 'configmaps.exclude.reloader.stakater.com/reload': `${large},foo` };
  expect(managedNames({ ...auto, ...exclude })).toEqual(['matched', 'db']);
});

test('annotations of the largest size are read once, not for each reference', () => {
  const text = (entry: string) =>
    Array(Math.floor(250_000 / entry.length))
      .fill(entry)
      .join(',');
  const many = Array.from(
    { length: 5_000 },
    (_, index) => ({ kind: 'ConfigMap', name: `c${index}` }) as const,
  );
  const annotations = {
    'configmap.reloader.stakater.com/reload': text('(a|b)'),
    'configmaps.exclude.reloader.stakater.com/reload': text('x'),
  };
  const workload = { annotations, templateAnnotations: annotations };
  expect(reloaderManagement(workload, many, () => undefined)).toEqual({ mode: 'unsaid' });
});

describe('annotations of the pod template', () => {
  test('opt in where the workload has no opt-in', () => {
    expect(managedNames({}, auto)).toEqual(['foo', 'matched', 'db']);
    expect(managedNames({}, search)).toEqual(['matched']);
    expect(managedNames({}, listed)).toEqual(['foo']);
  });

  test('are read for each kind on its own', () => {
    expect(managedNames(listed, auto)).toEqual(['foo', 'db']);
    expect(managedNames(notAuto, auto)).toEqual([]);
  });

  test('exclude in addition to those of the workload', () => {
    const exclusion = { 'configmaps.exclude.reloader.stakater.com/reload': 'foo' };
    expect(managedNames({}, { ...auto, ...exclusion })).toEqual(['matched', 'db']);
    expect(managedNames(auto, exclusion)).toEqual(['matched', 'db']);
    expect(managedNames(exclusion, auto)).toEqual(['matched', 'db']);
  });
});

describe('a config', () => {
  test('is not managed when the controller does not read opt-ins for it', () => {
    expect(managedNames(auto, {}, { isForReloader: false })).toEqual([]);
  });

  test('is not managed when the value of its annotation ignore cannot be read', () => {
    const ignore = (text: string) => ({ annotations: { 'reloader.stakater.com/ignore': text } });
    expect(managedNames(auto, {}, ignore('yes'))).toEqual([]);
    expect(managedNames(auto, {}, ignore('false'))).toHaveLength(4);
  });

  test('that does not exist is managed as soon as it exists', () => {
    const workload = { annotations: auto, templateAnnotations: {} };
    expect(reloaderManagement(workload, references, () => undefined)).toMatchObject({ mode: 'some' });
  });
});

test('whatever the values are, nothing else than what the template references is managed', () => {
  const key = fc.constantFrom(
    'reloader.stakater.com/auto',
    'configmap.reloader.stakater.com/reload',
    'secret.reloader.stakater.com/reload',
    'secrets.exclude.reloader.stakater.com/reload',
    'reloader.stakater.com/search',
  );
  const annotations = fc.dictionary(key, fc.string());
  fc.assert(
    fc.property(annotations, annotations, (own, ofTemplate) => {
      const names = managedNames(own, ofTemplate);
      expect(references.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
      expect(names).not.toContain('ignored');
    }),
  );
});
