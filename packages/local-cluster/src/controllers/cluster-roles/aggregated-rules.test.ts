import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ClusterRole } from '../../apiserver/rbac/roles.ts';
import { aggregatedRules } from './aggregated-rules.ts';

const rule = (resource: string) => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });
const role = (name: string, label: string, ...resources: string[]): ClusterRole => ({
  metadata: { name, labels: { to: label } },
  rules: resources.map(rule),
});
const whole = (...labels: string[]): ClusterRole => ({
  metadata: { name: 'whole', labels: { to: 'a' } },
  rules: [rule('own')],
  aggregationRule: { clusterRoleSelectors: labels.map((to) => ({ matchLabels: { to } })) },
});

test('rules come by selector, then by name, each once, and never from the role itself', () => {
  const all = [role('z', 'b', 'secrets'), role('y', 'a', 'configmaps', 'secrets'), role('x', 'a', 'nodes')];
  expect(aggregatedRules(whole('a', 'b'), [...all, whole('a')])).toEqual(
    ['nodes', 'configmaps', 'secrets'].map(rule),
  );
});

test('who selects nothing has no rules', () => {
  expect(aggregatedRules(whole(), [role('x', 'a', 'pods')])).toEqual([]);
  expect(aggregatedRules(whole('c'), [role('x', 'a', 'pods')])).toEqual([]);
});

test('in whatever order the roles are known, the rules are the same', () => {
  const roles = fc.uniqueArray(
    fc.record({ name: fc.string(), label: fc.constantFrom('a', 'b', 'c'), of: fc.array(fc.string()) }),
    { selector: ({ name }) => name },
  );
  fc.assert(
    fc.property(roles, (given) => {
      const all = given.map(({ name, label, of }) => role(name, label, ...of));
      expect(aggregatedRules(whole('a', 'b'), all.toReversed())).toEqual(
        aggregatedRules(whole('a', 'b'), all),
      );
    }),
  );
});
