import { expect, test } from 'vitest';
import { missingKeys } from './preflight.ts';
import { findReferences, type Reference } from './references.ts';

const template = {
  spec: {
    volumes: [
      { name: 'conf', configMap: { name: 'foo', items: [{ key: 'app.conf', path: 'app.conf' }] } },
      { name: 'file', configMap: { name: 'foo' } },
      { name: 'maybe', configMap: { name: 'foo', items: [{ key: 'extra', path: 'extra' }], optional: true } },
    ],
    containers: [
      {
        name: 'app',
        env: [
          { name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'foo', key: 'level' } } },
          { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
        ],
        volumeMounts: [{ name: 'file', mountPath: '/etc/ui.properties', subPath: 'ui.properties' }],
      },
    ],
  },
};

const check = (data: Record<string, string>, binaryData: Record<string, string> = {}) =>
  missingKeys(findReferences(template), ({ name }: Reference) =>
    name === 'foo' ? { data, binaryData } : undefined,
  );

test('a version that has every named key passes', () => {
  expect(check({ 'app.conf': '', level: 'info', 'ui.properties': '' })).toEqual([]);
});

test('a key may be text or binary', () => {
  expect(check({ level: 'info', 'ui.properties': '' }, { 'app.conf': 'AA==' })).toEqual([]);
});

test('each lacking key of items, keyRef and subPath is named, and optional ones are not', () => {
  expect(check({})).toEqual([
    { kind: 'ConfigMap', name: 'foo', keys: ['app.conf', 'ui.properties', 'level'] },
  ]);
});

test('configs that do not change are not looked at', () => {
  expect(missingKeys(findReferences(template), () => undefined)).toEqual([]);
});

test('a key that every object inherits is still lacking', () => {
  const references = findReferences({
    spec: {
      volumes: [{ name: 'v', configMap: { name: 'foo', items: [{ key: 'constructor', path: 'c' }] } }],
    },
  });
  expect(missingKeys(references, () => ({ data: {} }))).toHaveLength(1);
});
