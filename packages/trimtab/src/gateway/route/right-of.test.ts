import { expect, test } from 'vitest';
import { rightOf } from './right-of.ts';

test.each([
  ['GET /api/v1/namespaces/shop/secrets/foo', { verb: 'get', group: '', resource: 'secrets', name: 'foo' }],
  ['GET /api/v1/namespaces/shop/pods', { verb: 'list', group: '', resource: 'pods' }],
  ['GET /api/v1/namespaces/shop/pods?limit=500', { verb: 'list', group: '', resource: 'pods' }],
  [
    'PATCH /apis/trimtab.dev/v1alpha1/namespaces/shop/configrollouts/configmap-foo',
    { verb: 'patch', group: 'trimtab.dev', resource: 'configrollouts', name: 'configmap-foo' },
  ],
  ['POST /api/v1/namespaces/shop/configmaps', { verb: 'create', group: '', resource: 'configmaps' }],
  [
    'DELETE /api/v1/namespaces/shop/configmaps/a',
    { verb: 'delete', group: '', resource: 'configmaps', name: 'a' },
  ],
  ['POST /apis/authentication.k8s.io/v1/selfsubjectreviews', undefined],
  [undefined, undefined],
])('%s', (request, right) => {
  expect(rightOf(request)).toEqual(right);
});
