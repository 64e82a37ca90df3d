import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { roleManifest } from './print-role.ts';
import type { ConfigRef } from './source/config.ts';

const ref = (kind: ConfigRef['kind'], namespace: string, name: string): ConfigRef => ({
  kind,
  namespace,
  name,
});
const parse = (refs: ConfigRef[]) => parseAllDocuments(roleManifest(refs)).map((document) => document.toJS());

test('one config needs a Role of ten lines', () => {
  const text = roleManifest([ref('ConfigMap', 'production', 'prometheus')]);
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
  expect(parse([ref('ConfigMap', 'production', 'prometheus')])).toEqual([
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'trimtab-agent', namespace: 'production' },
      rules: [
        {
          apiGroups: [''],
          resources: ['configmaps'],
          resourceNames: ['prometheus'],
          verbs: ['get', 'watch'],
        },
      ],
    },
  ]);
});

test('configs of several namespaces and kinds need a Role for each namespace', () => {
  const roles = parse([
    ref('ConfigMap', 'shop', 'web'),
    ref('Secret', 'shop', 'tls'),
    ref('ConfigMap', 'other', 'api'),
  ]);
  expect(roles.map(({ metadata, rules }) => [metadata.namespace, rules.length])).toEqual([
    ['shop', 2],
    ['other', 1],
  ]);
});

test('names that YAML reads as numbers or booleans stay names', () => {
  expect(parse([ref('Secret', '123', 'no')])).toMatchObject([
    { metadata: { namespace: '123' }, rules: [{ resourceNames: ['no'] }] },
  ]);
});
