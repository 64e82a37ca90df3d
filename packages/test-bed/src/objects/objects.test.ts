import { expect, test } from 'vitest';
import { behaving } from '../simulated-pods/behaviour.ts';
import { annotated, labelled, ownedBy } from './build.ts';
import { configMap } from './config-map.ts';
import { daemonSet } from './daemon-set.ts';
import { deployment, withReplicas } from './deployment.ts';
import {
  envFromConfigMap,
  envFromKey,
  envFromSecret,
  mountingConfigMap,
  mountingSecret,
  withImage,
} from './pod-template.ts';
import { resourceOf } from './resources.ts';
import { role, roleBinding } from './rights.ts';
import { secret } from './secret.ts';
import { statefulSet } from './stateful-set.ts';

test('a Deployment selects its own pods, and every mod adds to what is there', () => {
  const web = deployment(
    'web',
    withReplicas(2),
    mountingConfigMap('foo', '/etc/foo'),
    mountingSecret('key', '/etc/key'),
    envFromConfigMap('foo'),
    envFromSecret('key'),
    envFromKey('COLOR', 'foo', 'color'),
    withImage('app:2'),
    behaving('crash-loop'),
  );
  const { replicas, selector, template } = web.spec;
  expect(replicas).toBe(2);
  expect(template.metadata).toEqual({
    labels: selector.matchLabels,
    annotations: { 'bed.trimtab.dev/behaviour': 'crash-loop' },
  });
  expect(template.spec.volumes).toEqual([
    { name: 'configmap-foo', configMap: { name: 'foo' } },
    { name: 'secret-key', secret: { secretName: 'key' } },
  ]);
  expect(template.spec.containers).toMatchObject([
    {
      image: 'app:2',
      volumeMounts: [
        { name: 'configmap-foo', mountPath: '/etc/foo' },
        { name: 'secret-key', mountPath: '/etc/key' },
      ],
      envFrom: [{ configMapRef: { name: 'foo' } }, { secretRef: { name: 'key' } }],
      env: [{ name: 'COLOR', valueFrom: { configMapKeyRef: { name: 'foo', key: 'color' } } }],
    },
  ]);
});

test('labels, annotations and owners add up', () => {
  const owner = deployment('web');
  owner.metadata.uid = 'u1';
  const foo = configMap(
    'foo',
    { a: '1' },
    labelled({ x: '1' }),
    labelled({ y: '2' }),
    annotated({ n: 'm' }),
    ownedBy(owner),
  );
  expect(foo.metadata).toMatchObject({
    labels: { x: '1', y: '2' },
    annotations: { n: 'm' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u1' }],
  });
  expect(() => ownedBy(deployment('not created'))).toThrow(/created first/);
});

test('a Secret carries its values in base64', () => {
  expect(secret('key', { password: 'pa55' }).data).toEqual({ password: 'cGE1NQ==' });
});

test('rights name groups as kubectl does', () => {
  expect(role('editor', ['get'], 'configmaps', 'deployments.apps').rules).toEqual([
    { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'] },
  ]);
  const kinds = [{ user: 'anna' }, { group: 'dev' }, { serviceAccount: 'bot' }].map(
    (who) => roleBinding('editor', who).subjects[0]?.kind,
  );
  expect(kinds).toEqual(['User', 'Group', 'ServiceAccount']);
});

test('every kind that has a builder has its place in the API', () => {
  expect(resourceOf(statefulSet('db')).plural).toBe('statefulsets');
  expect(resourceOf(daemonSet('logs')).plural).toBe('daemonsets');
  expect(() => resourceOf({ kind: 'Unheard', metadata: {} })).toThrow(/unknown kind Unheard/);
});
