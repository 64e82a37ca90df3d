import { expect, test } from 'vitest';
import { decode } from './decode.ts';
import { typeNamed } from './type.ts';

const deployment = typeNamed('io.k8s.api.apps.v1.Deployment');
const configMap = typeNamed('io.k8s.api.core.v1.ConfigMap');

test.each([
  [
    { spec: { replicas: '3' } },
    'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
  ],
  [
    { spec: 3 },
    'json: cannot unmarshal number into Go struct field Deployment.spec of type v1.DeploymentSpec',
  ],
  [
    { metadata: { labels: { a: 1 } } },
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
  ],
  [
    { metadata: { labels: [] } },
    'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
  ],
  [
    { spec: { template: { spec: { containers: ['a'] } } } },
    'json: cannot unmarshal string into Go struct field PodSpec.spec.template.spec.containers of type v1.Container',
  ],
  [
    { spec: { replicas: 1.5 } },
    'json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
  ],
  [
    { metadata: { creationTimestamp: 'foo' } },
    'parsing time "foo" as "2006-01-02T15:04:05Z07:00": cannot parse "foo" as "2006"',
  ],
])('%j is refused in the words of Go', (body, message) => {
  expect(() => decode(body, deployment)).toThrow(message);
});

test('fields that the server does not know are named with their place, and left out', () => {
  const unknown: string[] = [];
  const body = {
    spec: { template: { spec: { containers: [{ name: 'a' }, { name: 'b', env: [{ x: 1 }] }] } } },
    extra: 1,
  };
  expect(decode(body, deployment, unknown)).not.toHaveProperty('extra');
  expect(unknown).toEqual(['spec.template.spec.containers[1].env[0].x', 'extra']);
});

test('what is empty is left out as Go leaves it out, and pointers keep their zeros', () => {
  const body = {
    metadata: { name: 'x', labels: {}, finalizers: [], creationTimestamp: null },
    spec: { replicas: 0, paused: false, minReadySeconds: 0, strategy: { rollingUpdate: { maxSurge: 0 } } },
  };
  expect(decode(body, deployment)).toEqual({
    metadata: { name: 'x' },
    spec: {
      replicas: 0,
      strategy: { rollingUpdate: { maxSurge: 0 } },
      template: { metadata: {}, spec: { containers: null } },
    },
    status: {},
  });
});

test('keys that a user chose cannot touch prototypes', () => {
  const body = JSON.parse('{"metadata":{"name":"x"},"data":{"__proto__":"1","constructor":"2"}}');
  const decoded = decode(body, configMap);
  expect(JSON.parse(JSON.stringify(decoded))).toEqual(body);
  expect(Object.getPrototypeOf((decoded as { data: object }).data)).toBe(Object.prototype);
});
