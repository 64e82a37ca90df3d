import { expect, test } from 'vitest';
import type { Config, ConfigRef } from './config.ts';
import { includesSecret, missingConfigs, type Observed, presentConfigs } from './source.ts';

const ref = (kind: ConfigRef['kind'], name: string): ConfigRef => ({ kind, namespace: 'shop', name });
const configOf = (of: ConfigRef): Config => ({ ...of, uid: 'u', resourceVersion: '7', entries: new Map() });
const web = configOf(ref('ConfigMap', 'web'));
const present: Observed = { state: 'present', config: web };
const missing: Observed = { state: 'missing', ref: ref('ConfigMap', 'api') };
const unknown: Observed = { state: 'unknown', ref: ref('Secret', 'tls') };

test('configs are present when all are', () => {
  expect(presentConfigs([present, present])).toEqual([web, web]);
  expect(presentConfigs([present, missing])).toBeUndefined();
  expect(presentConfigs([unknown])).toBeUndefined();
});

test('configs that are not there are named', () => {
  expect(missingConfigs([present])).toBe('');
  expect(missingConfigs([present, missing, unknown])).toBe(
    'configmap shop/api does not exist; secret shop/tls is not known yet',
  );
});

test('a Secret is one whether or not it exists', () => {
  expect(includesSecret([present, missing])).toBe(false);
  expect(includesSecret([present, unknown])).toBe(true);
  expect(includesSecret([{ state: 'present', config: configOf(ref('Secret', 'tls')) }])).toBe(true);
});
