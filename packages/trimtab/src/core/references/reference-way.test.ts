import { expect, test } from 'vitest';
import { annotations } from '../../api/names.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import { assignOperations, readTemplate } from './assignment.ts';
import type { ConfigKey } from './config-key.ts';
import { isWrittenIn, type ReferenceWay, templateVersions, writtenReferences } from './reference-way.ts';
import { templateReferences } from './references.ts';

const assigned = new Map<ConfigKey, string>([
  ['ConfigMap/foo', 'foo-1'],
  ['Secret/bar', 'bar-2'],
]);
const configOf = (_: string, name: string) => /^(foo|bar)(-\d)?$/.exec(name)?.[1];

function template(foo: string, bar: string, versions?: string): PodTemplate {
  return {
    metadata: { annotations: versions === undefined ? {} : { [annotations.versions]: versions } },
    spec: {
      volumes: [
        { name: 'a', configMap: { name: foo } },
        { name: 'b', secret: { secretName: bar } },
        { name: 'c', configMap: { name: 'unmanaged' } },
      ],
    },
  };
}

/** The template after the writes of an assignment. */
function writtenBy(way: ReferenceWay): PodTemplate {
  const plain = template('foo', 'bar');
  const operations = assignOperations(templateReferences(plain), writtenReferences(assigned, way), configOf);
  const names = new Map(operations.map(({ path, value }) => [path, value]));
  return template(
    names.get('/spec/template/spec/volumes/0/configMap/name') ?? 'foo',
    names.get('/spec/template/spec/volumes/1/secret/secretName') ?? 'bar',
    templateVersions(templateReferences(plain), assigned, way),
  );
}

test.each<[ReferenceWay, PodTemplate]>([
  ['template', template('foo-1', 'bar-2')],
  ['admission', template('foo', 'bar', 'configmap/foo=foo-1,secret/bar=bar-2')],
])('by %s, pods get the assigned versions, and the template is written so', (way, expected) => {
  const written = writtenBy(way);
  expect(written).toEqual(expected);
  const found = templateReferences(written);
  expect(readTemplate(found, configOf)).toEqual({
    references: assigned,
    originals: new Set(),
    mixed: false,
  });
  expect(isWrittenIn(way, found, configOf)).toBe(true);
  expect(isWrittenIn(way === 'template' ? 'admission' : 'template', found, configOf)).toBe(false);
});

test('what the annotation assigns to other configs stays, as long as the template names them', () => {
  const found = templateReferences(template('foo', 'bar', 'configmap/foo=foo-1,configmap/gone=gone-1'));
  const onlyBar = new Map<ConfigKey, string>([['Secret/bar', 'bar-2']]);
  expect(templateVersions(found, onlyBar, 'admission')).toBe('configmap/foo=foo-1,secret/bar=bar-2');
  expect(templateVersions(found, onlyBar, 'template')).toBe('configmap/foo=foo-1');
});

test('a template with both ways is written in neither', () => {
  const found = templateReferences(template('foo-1', 'bar', 'secret/bar=bar-2'));
  expect(isWrittenIn('template', found, configOf)).toBe(false);
  expect(isWrittenIn('admission', found, configOf)).toBe(false);
});

test('an annotation that assigns something else to a config is read as that, and one that is not valid assigns nothing', () => {
  const reading = (versions: string) =>
    readTemplate(templateReferences(template('foo', 'bar', versions)), configOf).references;
  expect(reading('configmap/foo=bar-2').get('ConfigMap/foo')).toBe('bar-2');
  expect(reading('configmap/foo=unknown').get('ConfigMap/foo')).toBe('unknown');
  expect(reading('configmap/foo').get('ConfigMap/foo')).toBe('foo');
});
