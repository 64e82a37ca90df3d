import { describe, expect, test } from 'vitest';
import type { PodTemplate } from '../../api/pod-template.ts';
import {
  assignmentHash,
  assignmentOf,
  assignOperations,
  readTemplate,
  templateHash,
  templateShape,
  wantedName,
} from './assignment.ts';
import type { ConfigKey } from './config-key.ts';
import { type ConfigKind, findReferences, replaceReferences } from './references.ts';

/** ConfigMap foo and Secret db are managed; `foo-1`, `foo-2` and `db-1` are their versions. */
const configOf = (kind: ConfigKind, name: string) => {
  const [config = ''] = name.split('-');
  return (kind === 'ConfigMap' && config === 'foo') || (kind === 'Secret' && config === 'db')
    ? config
    : undefined;
};

const template = (foo: string, db: string, mods: { image?: string; second?: string } = {}): PodTemplate => ({
  spec: {
    volumes: [{ name: 'conf', configMap: { name: foo } }],
    containers: [
      {
        name: 'app',
        ...{ image: mods.image ?? 'app:1' },
        envFrom: [
          { configMapRef: { name: mods.second ?? foo } },
          { secretRef: { name: db } },
          { configMapRef: { name: 'unmanaged' } },
        ],
      },
    ],
  },
});

const wanted = (foo: string, db: string) =>
  new Map<ConfigKey, string>([
    ['ConfigMap/foo', foo],
    ['Secret/db', db],
  ]);
const label = assignmentHash(wanted('foo-1', 'db-1'));
const read = (it: PodTemplate) => readTemplate(findReferences(it), configOf);
const assign = (it: PodTemplate, to: ReturnType<typeof wanted>) =>
  replaceReferences(it, (reference) => wantedName(reference, to, configOf));
const patch = (it: PodTemplate, to: ReturnType<typeof wanted>) =>
  assignOperations(findReferences(it), to, configOf);
const hash = (it: PodTemplate) => templateHash(templateShape(it), findReferences(it), configOf);

describe("a workload's template is", () => {
  test.each([
    ['ours when it names what we assigned', template('foo-1', 'db-1'), label, 'ours'],
    [
      'pinned when it names other versions: somebody undid or chose',
      template('foo-2', 'db-1'),
      label,
      'pinned',
    ],
    ['pinned when the label is gone, but versions are named', template('foo-1', 'db-1'), undefined, 'pinned'],
    [
      'unassigned when it names an original, as after a re-apply',
      template('foo', 'db-1'),
      label,
      'unassigned',
    ],
    [
      'pinned when it names two versions of one config',
      template('foo-1', 'db-1', { second: 'foo-2' }),
      label,
      'pinned',
    ],
    ['none of our business without a managed config', { spec: { containers: [] } }, undefined, 'none'],
  ])('%s', (_, it, itsLabel, expected) => {
    expect(assignmentOf(read(it), itsLabel)).toBe(expected);
  });
});

test('assigning moves every managed reference in one go, and nothing else', () => {
  expect(assign(template('foo', 'db'), wanted('foo-2', 'db-1'))).toEqual(template('foo-2', 'db-1'));
});

test('what was assigned reads as ours', () => {
  const assigned = assign(template('foo', 'db'), wanted('foo-1', 'db-1'));
  expect(assignmentOf(read(assigned), label)).toBe('ours');
});

test('a patch tests each name that it replaces, so that a later change is never overwritten', () => {
  expect(patch(template('foo-1', 'db-1'), wanted('foo-2', 'db-1'))).toEqual([
    { op: 'test', path: '/spec/template/spec/volumes/0/configMap/name', value: 'foo-1' },
    { op: 'replace', path: '/spec/template/spec/volumes/0/configMap/name', value: 'foo-2' },
    { op: 'test', path: '/spec/template/spec/containers/0/envFrom/0/configMapRef/name', value: 'foo-1' },
    { op: 'replace', path: '/spec/template/spec/containers/0/envFrom/0/configMapRef/name', value: 'foo-2' },
  ]);
});

test('assigning what is assigned already patches nothing', () => {
  expect(patch(template('foo-1', 'db-1'), wanted('foo-1', 'db-1'))).toEqual([]);
});

describe('two templates are the same but for their configs', () => {
  test('when only versions differ, in whatever order their fields stand', () => {
    const one = template('foo-1', 'db-1');
    const other: PodTemplate = JSON.parse(JSON.stringify(template('foo-2', 'db')));
    other.spec = Object.fromEntries(Object.entries(other.spec ?? {}).reverse());
    expect(hash(one)).toBe(hash(other));
  });

  test('when they differ in where pods run and how long they may take to end', () => {
    const placed: PodTemplate = template('foo-1', 'db-1');
    Object.assign(placed.spec ?? {}, {
      affinity: {},
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'spot' }],
      terminationGracePeriodSeconds: 5,
    });
    expect(hash(placed)).toBe(hash(template('foo-1', 'db-1')));
  });

  test('and not when the image differs', () => {
    expect(hash(template('foo-1', 'db-1', { image: 'app:2' }))).not.toBe(hash(template('foo-1', 'db-1')));
  });

  test('is the same with other values of variables that only stamp it', () => {
    const stamped = (...env: { name: string; value: string }[]) => {
      const it = template('foo-1', 'db-1');
      for (const container of it.spec?.containers ?? []) container.env = env;
      return hash(it);
    };
    const plain = stamped();
    expect(stamped({ name: 'configMapVersion', value: '7' })).toBe(plain);
    expect(stamped({ name: 'STAKATER_FOO_CONFIGMAP', value: 'a1b2' })).toBe(plain);
    expect(stamped({ name: 'COLOR', value: 'blue' })).not.toBe(plain);
  });
});
