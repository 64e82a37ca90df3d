import { statefulSets } from '@trimtab/kube/resource.ts';
import { expect, test } from 'vitest';
import type { ControllerRevision } from '../../objects/workloads.ts';
import { holdsTemplate, inOrder, newRevision, surplus, type Templated, templateOf } from './revision-data.ts';

const owner: Templated = {
  metadata: { name: 'db', namespace: 'shop', uid: 'u1', annotations: { team: 'red' } },
  spec: { template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'app' }] } } },
};
const kind = { owner: statefulSets, hashLabel: 'controller.kubernetes.io/hash' } as const;
const revision = (name: string, number: number): ControllerRevision => ({
  metadata: { name, creationTimestamp: '2026-01-01T00:00:00Z' },
  data: {},
  revision: number,
});

test('a revision keeps the template as a patch that puts it back', () => {
  const made = newRevision(kind, owner, 3, undefined);
  expect(made.data).toEqual({ spec: { template: { ...owner.spec.template, $patch: 'replace' } } });
  expect(templateOf(made)).toEqual(owner.spec.template);
  expect(holdsTemplate(made, owner.spec.template)).toBe(true);
  expect(made.metadata).toMatchObject({
    name: `db-${made.metadata.labels?.['controller.kubernetes.io/hash']}`,
    namespace: 'shop',
    labels: { app: 'db' },
    annotations: { team: 'red' },
    ownerReferences: [{ kind: 'StatefulSet', name: 'db', uid: 'u1', controller: true }],
  });
});

test('another template, or a collision, is another name', () => {
  const other = structuredClone(owner);
  other.spec.template.spec.containers[0] = { name: 'app', image: 'b' };
  const names = [
    newRevision(kind, owner, 1, undefined),
    newRevision(kind, other, 1, undefined),
    newRevision(kind, owner, 1, 1),
  ];
  expect(new Set(names.map(({ metadata }) => metadata.name)).size).toBe(3);
  expect(holdsTemplate(newRevision(kind, owner, 1, 1), other.spec.template)).toBe(false);
});

test('the oldest that nothing uses are beyond the limit', () => {
  const all = [revision('c', 3), revision('a', 1), revision('b', 2), revision('d', 4)];
  expect(inOrder(all).map(({ revision: number }) => number)).toEqual([1, 2, 3, 4]);
  const gone = surplus(all, ({ metadata }) => metadata.name === 'a' || metadata.name === 'd', 1);
  expect(gone.map(({ metadata }) => metadata.name)).toEqual(['b']);
});
