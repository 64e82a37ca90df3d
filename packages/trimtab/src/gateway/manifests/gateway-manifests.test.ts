import type { KubeObject } from '@trimtab/kube/wire.ts';
import { expect, test } from 'vitest';
import type { Rule } from '../../core/installation/rights.ts';
import { gatewayManifests } from './gateway-manifests.ts';

const rulesOf = (objects: KubeObject[]) =>
  objects.flatMap((object) => ('rules' in object ? (object.rules as Rule[]) : []));
const said = (objects: KubeObject[]) =>
  rulesOf(objects).map(({ verbs, resources, resourceNames = [] }) =>
    [...verbs, ...resources, ...resourceNames].join(' '),
  );

test('the gateway reads what pods run, and writes what they report and its own authority', () => {
  expect(said(gatewayManifests({}))).toEqual([
    'list watch configrollouts',
    'get list watch pods',
    'list watch deployments statefulsets daemonsets',
    'create patch reloadreports',
    'get list watch configmaps secrets',
    'create secrets configmaps',
    'get update secrets trimtab-gateway-authority',
    'get update configmaps trimtab-gateway-ca',
    'create tokenreviews',
  ]);
});

test('without Secrets, none but its own is within reach', () => {
  expect(said(gatewayManifests({ secrets: false }))).toContain('get list watch configmaps');
  expect(said(gatewayManifests({ secrets: false })).join()).not.toContain('watch configmaps secrets');
});

test('only who accepts client certificates may say who somebody is', () => {
  expect(said(gatewayManifests({})).join()).not.toContain('impersonate');
  expect(said(gatewayManifests({ clientCertificates: true }))).toContain('impersonate users groups');
});

test('for one namespace, it reads nothing elsewhere', () => {
  const objects = gatewayManifests({ namespaces: ['shop'] });
  const cluster = objects.filter(({ kind }) => kind === 'ClusterRole');
  expect(said(cluster)).toEqual(['create tokenreviews']);
  const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''} ${metadata.name}`);
  expect(new Set(names).size).toBe(names.length);
});
