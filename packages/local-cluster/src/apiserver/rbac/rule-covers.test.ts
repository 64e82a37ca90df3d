import { expect, test } from 'vitest';
import { ruleCovers } from './rule-covers.ts';

const held = { apiGroups: [''], resources: ['configmaps', '*/status'], verbs: ['get', 'list'] };
const one = (resource: string, verb: string, more: object = {}) => ({
  apiGroups: [''],
  resources: [resource],
  verbs: [verb],
  ...more,
});

test.each([
  [held, one('configmaps', 'get'), true],
  [held, one('configmaps', 'get', { resourceNames: ['a'] }), true],
  [held, one('configmaps', 'delete'), false],
  [held, one('configmaps', '*'), false],
  [held, one('secrets', 'get'), false],
  [held, one('pods/status', 'get'), true],
  [held, one('pods/log', 'get'), false],
  [held, { ...one('configmaps', 'get'), apiGroups: ['apps'] }, false],
  [{ ...held, resourceNames: ['a'] }, one('configmaps', 'get'), false],
  [{ ...held, resourceNames: ['a'] }, one('configmaps', 'get', { resourceNames: ['a'] }), true],
  [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }, one('pods/log', '*'), true],
  [
    { nonResourceURLs: ['/healthz/*'], verbs: ['get'] },
    { nonResourceURLs: ['/healthz/etcd'], verbs: ['get'] },
    true,
  ],
  [
    { nonResourceURLs: ['/healthz'], verbs: ['get'] },
    { nonResourceURLs: ['/healthz/*'], verbs: ['get'] },
    false,
  ],
  [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }, { nonResourceURLs: ['/'], verbs: ['get'] }, false],
])('%j covers %j: %s', (rule, single, expected) => {
  expect(ruleCovers(rule, single)).toBe(expected);
});
