import { describe, expect, test } from 'vitest';
import { manifestContent } from './manifest-content.ts';
import { parseObjects } from './parse-objects.ts';

function contentOf(kind: 'ConfigMap' | 'Secret', yaml: string) {
  return manifestContent({ kind, name: 'foo' }, 'foo.yaml', parseObjects(yaml));
}

describe('the content of a config in a manifest', () => {
  test('is found among other objects', () => {
    const yaml = `kind: Service
metadata: { name: foo }
---
kind: List
items:
  - { kind: ConfigMap, metadata: { name: foo }, data: { color: blue }, binaryData: { logo: //4= } }
`;
    expect(contentOf('ConfigMap', yaml)).toEqual({ data: { color: 'blue' }, binaryData: { logo: '//4=' } });
  });

  test('of a Secret takes stringData over data', () => {
    const yaml =
      'kind: Secret\nmetadata: { name: foo }\ntype: Opaque\ndata: { a: eA==, b: eQ== }\nstringData: { b: z }\n';
    expect(contentOf('Secret', yaml)).toEqual({ data: { a: 'eA==', b: 'eg==' }, type: 'Opaque' });
  });

  test('is refused when the config is not there, or there twice', () => {
    const named = (name: string) => `kind: ConfigMap\nmetadata: { name: ${name} }\n`;
    expect(() => contentOf('ConfigMap', named('bar'))).toThrow(
      'foo.yaml has no ConfigMap foo; it has ConfigMap bar',
    );
    expect(() => contentOf('ConfigMap', '')).toThrow(/^foo.yaml has no ConfigMap foo$/);
    expect(() => contentOf('ConfigMap', `${named('foo')}---\n${named('foo')}`)).toThrow('more than one');
  });

  test('is refused when a value is not a string, without showing it', () => {
    const yaml = 'kind: Secret\nmetadata: { name: foo }\nstringData: { pin: 4711 }\n';
    expect(() => contentOf('Secret', yaml)).toThrow(
      /^foo.yaml: stringData.pin must be a string; quote the value$/,
    );
    expect(() => contentOf('ConfigMap', 'kind: ConfigMap\nmetadata: { name: foo }\ndata: [a]\n')).toThrow(
      'data',
    );
  });

  test('is refused when it is too large', () => {
    const yaml = `kind: ConfigMap\nmetadata: { name: foo }\ndata: { a: ${'x'.repeat(1024 * 1024 + 1)} }\n`;
    expect(() => contentOf('ConfigMap', yaml)).toThrow('has 1048577 bytes');
  });
});
