import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loggedAgent, loggedTarget } from './logged-target.ts';

const path = '/api/v1/namespaces/a/configmaps';

test.each([
  [path, { path }],
  [
    `${path}?watch=true&limit=500&resourceVersion=17`,
    { path, query: 'watch=true&limit=500&resourceVersion=17' },
  ],
  [`${path}?fieldSelector=data.password%3Dx&dryRun=All`, { path, query: 'dryRun=All' }],
  [`${path}?dryRun=hunter2&limit=12a&watch=hunter2&wait=60s`, { path, query: 'wait=60s' }],
  [`${path}?__proto__=1&constructor=2`, { path }],
  [`${path}?watch`, { path, query: 'watch=' }],
  [`${path}?a?limit=1`, { path }],
  [
    '/api/v1/namespaces/a/services/http:web:80/proxy/reset/hunter2',
    { path: '/api/v1/namespaces/a/services/http:web:80/proxy/…' },
  ],
  ['/api/v1/namespaces/a/pods/web/proxy/x/pods/y/proxy/z', { path: '/api/v1/namespaces/a/pods/web/proxy/…' }],
  ['/api/v1/namespaces/a/pods/web/proxy/', { path: '/api/v1/namespaces/a/pods/web/proxy/' }],
  ['/api/v1/namespaces/a/pods/b/proxy%2Fhunter2', { path: '/api/v1/namespaces/a/pods/b/proxy/…' }],
  ['/api/v1/namespaces/a/pods/b/%70roxy/hunter2', { path: '/api/v1/namespaces/a/pods/b/proxy/…' }],
  ['/api/v1/namespaces/a/services//s/proxy/hunter2', { path: '/api/v1/namespaces/a/services/s/proxy/…' }],
  ['/api/v1/namespaces/a/p%6Fds/b/proxy/hunter2%zz%ff', { path: '/api/v1/namespaces/a/pods/b/proxy/…' }],
  ['/api/v1/nodes%2Fn%2Fproxy%2fhunter2', { path: '/api/v1/nodes/n/proxy/…' }],
  ['/api/v1/namespaces/a/pods/b/x/proxy/hunter2', { path: '/api/v1/namespaces/a/pods/b/x/proxy/…' }],
  ['/api/v1/proxy/namespaces/a/services/s/hunter2', { path: '/api/v1/proxy/…' }],
  ['/api/v1/namespaces/a/pods/b%0a/proxy/hunter2', { path: '/api/v1/namespaces/a/pods/b?/proxy/…' }],
  ['/api/v1/namespaces/a/pods/proxy/hunter2', { path: '/api/v1/namespaces/a/pods/proxy/…' }],
  ['/pods/api/v1/proxy/b/proxy/hunter2', { path: '/pods/api/v1/proxy/…' }],
  ['/api/v1/namespaces/proxy/configmaps/a%20b', { path: '/api/v1/namespaces/proxy/configmaps/a%20b' }],
  ['/a\u0085b\u2028c\x7f', { path: '/a?b?c?' }],
  [`${'/%70ods'.repeat(100)}/proxy/hunter2`, { path: `${'/pods'.repeat(100)}/proxy/…` }],
  [
    `/pods/${'%'.repeat(2_000)}/proxy/hunter2?watch=1`,
    { path: `/pods/${'%'.repeat(506)}`, query: 'watch=1' },
  ],
  [`/a?${'x'.repeat(5_000)}&watch=1`, { path: '/a' }],
  [`/${'x'.repeat(9_000)}`, { path: `/${'x'.repeat(511)}` }],
])('%s is logged as %j', (url, logged) => {
  expect(loggedTarget(url)).toEqual(logged);
});

test('the work for a long path does not grow with it', () => {
  // With a search that scans the rest of the path for each of its segments, this would take an hour.
  expect(loggedTarget(`${'/pods'.repeat(2_000_000)}?watch=1`)).toEqual({
    path: '/pods'.repeat(103).slice(0, 512),
    query: 'watch=1',
  });
});

test('a query adds nothing but known parameters with known values', () => {
  fc.assert(
    fc.property(fc.webQueryParameters(), (query) => {
      expect(loggedTarget(`/a?${query}`).query ?? '').toMatch(/^([a-zA-Z]+=[a-zA-Z0-9]*(&|$))*$/);
    }),
  );
});

test('a user agent is visible and short', () => {
  expect(loggedAgent('kubectl/v1.36 (linux)')).toBe('kubectl/v1.36 (linux)');
  expect(loggedAgent('a\tb\u009bc"\n')).toBe('a?b?c"?');
  expect(loggedAgent('x'.repeat(1_000))).toHaveLength(200);
  expect(loggedAgent(undefined)).toBeUndefined();
});
