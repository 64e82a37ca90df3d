import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { allMetrics } from './all-metrics.ts';
import { metricsReference } from './metrics.ts';

const root = path.resolve(import.meta.dirname, '../..');

test('a person who reads the reference finds every metric that the code registers', () => {
  const files = globSync('packages/*/src/**/*.ts', { cwd: root }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  const names = files.flatMap((file) =>
    [
      ...readFileSync(path.join(root, file), 'utf8').matchAll(/'((?:trimtab|process|nodejs)_[a-z0-9_]+)'/g),
    ].map(([, name = '']) => name),
  );
  expect(names.length).toBeGreaterThan(20);
  const reference = metricsReference();
  expect(names.filter((name) => !reference.includes(`| \`${name}\` |`))).toEqual([]);
});

/** Labels whose number of values does not depend on what users create. */
const allowed = [
  ...[
    'result',
    'kind',
    'state',
    'phase',
    'reason',
    'reconciler',
    'queue',
    'outcome',
    'certificate',
    'target',
  ],
  ...['route', 'method', 'code', 'limit', 'verb', 'resource', 'watch', 'cause', 'lease'],
];
/** Metrics of the agent of one pod, which has the few configs of that pod. */
const perPod = ['trimtab_agent_config_info'];

test('no metric has a label with the namespace or the name of an object of a user', () => {
  for (const { name, labels } of Object.values(allMetrics()).flat())
    if (!perPod.includes(name)) for (const label of labels) expect(allowed, name).toContain(label);
});

test('names follow the conventions of Prometheus', () => {
  const metrics = Object.values(allMetrics()).flat();
  expect(new Set(metrics.map(({ name }) => name)).size).toBe(metrics.length - 1);
  for (const { name, type, help } of metrics) {
    expect(name).toMatch(/^(?:trimtab|process|nodejs)(?:_[a-z0-9]+)+$/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    if (type === 'histogram') expect(name).toMatch(/_(?:seconds|bytes)$/);
    expect(help).toMatch(/^[A-Z0-9].*[.]$/s);
  }
});
