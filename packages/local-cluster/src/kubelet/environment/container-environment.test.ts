import { describe, expect, test } from 'vitest';
import type { Container, Pod } from '../../objects/pod.ts';
import { ConfigProblem } from '../configs/config-problem.ts';
import type { Config } from '../configs/read-config.ts';
import { containerEnvironment } from './container-environment.ts';
import { processEnvironment } from './process-environment.ts';

const configs: Record<string, Record<string, string | Buffer>> = {
  'configmap/shop/colours': { COLOUR: 'green', 'app.size': 'L', A: 'from config' },
  'secret/shop/login': { USER: 'ann', PASSWORD: 's3cret', A: 'from secret' },
  'secret/shop/picture': { png: Buffer.from([0x89, 0xff, 0xfe]) },
};

function read(kind: string, namespace: string, name: string): Promise<Config | undefined> {
  const found = configs[`${kind}/${namespace}/${name}`];
  if (found === undefined) return Promise.resolve(undefined);
  const texts = new Map<string, string>();
  const files = new Map<string, Buffer>();
  for (const [key, value] of Object.entries(found)) {
    files.set(key, Buffer.from(value));
    if (typeof value === 'string') texts.set(key, value);
  }
  return Promise.resolve({ texts, files, isImmutable: false });
}

const services = new Map([
  ['WEB_SERVICE_HOST', '10.96.0.7'],
  ['A', 'from a service'],
]);

const pod: Pod = {
  metadata: {
    name: 'cart-x',
    namespace: 'shop',
    uid: 'u-1',
    labels: { app: 'cart', 'shop.dev/tier': 'b"1' },
    annotations: { note: 'two\nlines' },
  },
  spec: { containers: [], nodeName: 'local', serviceAccountName: 'runner' },
};

async function variables(container: Partial<Container>): Promise<Record<string, string>> {
  const found = await containerEnvironment({
    pod,
    container: { name: 'app', ...container },
    podIP: '127.1.0.5',
    hostIP: '127.0.0.1',
    allocatable: { cpu: '2', memory: '4Gi' },
    services,
    fileValue: (volume, path, key) =>
      Promise.resolve({ value: key === 'K' ? `${volume}:${path}` : '', file: `/pods/u-1/${path}` }),
    read,
  });
  return Object.fromEntries(found);
}

const valueFor = async (valueFrom: NonNullable<Container['env']>[number]['valueFrom'], more = {}) =>
  (await variables({ env: [{ name: 'X', ...(valueFrom && { valueFrom }) }], ...more }))['X'];

describe('which value wins', () => {
  test('env over envFrom, a later envFrom over an earlier one, and all over the Services', async () => {
    const envFrom = [{ configMapRef: { name: 'colours' } }, { secretRef: { name: 'login' } }];
    expect(await variables({ envFrom })).toMatchObject({ A: 'from secret', COLOUR: 'green', USER: 'ann' });
    expect(await variables({ envFrom, env: [{ name: 'A', value: 'own' }] })).toMatchObject({ A: 'own' });
    expect(await variables({})).toEqual(Object.fromEntries(services));
  });

  test('names that no shell can read are set all the same, as Kubernetes 1.36 does', async () => {
    const envFrom = [{ prefix: '1-', configMapRef: { name: 'colours' } }];
    expect(await variables({ envFrom })).toMatchObject({ '1-app.size': 'L' });
  });

  test('an optional key that is missing leaves what envFrom made of the name', async () => {
    const envFrom = [{ configMapRef: { name: 'colours' } }];
    const env = [
      { name: 'COLOUR', valueFrom: { configMapKeyRef: { name: 'colours', key: 'nope', optional: true } } },
      { name: 'NONE', valueFrom: { secretKeyRef: { name: 'nope', key: 'x', optional: true } } },
    ];
    const found = await variables({ envFrom, env });
    expect(found).toMatchObject({ COLOUR: 'green' });
    expect(found).not.toHaveProperty('NONE');
  });

  test('a variable may refer to those before it and to Services, not to those after it', async () => {
    const env = [
      { name: 'ONE', value: '$(TWO)-$(A)' },
      { name: 'TWO', value: '$(ONE)/$(WEB_SERVICE_HOST)/$$(ONE)' },
    ];
    expect(await variables({ env })).toMatchObject({
      ONE: '$(TWO)-from a service',
      TWO: '$(TWO)-from a service/10.96.0.7/$(ONE)',
    });
  });
});

describe('where a value comes from', () => {
  test.each([
    ['metadata.name', 'cart-x'],
    ['metadata.namespace', 'shop'],
    ['metadata.uid', 'u-1'],
    ["metadata.labels['app']", 'cart'],
    ["metadata.labels['nope']", ''],
    ["metadata.labels['constructor']", ''],
    ["metadata.annotations['note']", 'two\nlines'],
    ['metadata.labels', 'app="cart"\nshop.dev/tier="b\\"1"'],
    ['metadata.annotations', 'note="two\\nlines"'],
    ['spec.nodeName', 'local'],
    ['spec.serviceAccountName', 'runner'],
    ['status.podIP', '127.1.0.5'],
    ['status.podIPs', '127.1.0.5'],
    ['status.hostIP', '127.0.0.1'],
    ['status.hostIPs', '127.0.0.1'],
  ])('the field %s', async (fieldPath, expected) => {
    expect(await valueFor({ fieldRef: { fieldPath } })).toBe(expected);
  });

  const resources = { limits: { cpu: '1500m', memory: '100Mi' }, requests: { cpu: '70m' } };
  test.each([
    ['limits.cpu', undefined, '2'],
    ['limits.cpu', '1m', '1500'],
    ['limits.cpu', '0', '2'],
    ['requests.cpu', '1m', '70'],
    ['limits.memory', undefined, '104857600'],
    ['limits.memory', '1Mi', '100'],
    ['limits.memory', '3Mi', '34'],
    ['requests.memory', '1Mi', '0'],
    ['limits.ephemeral-storage', undefined, '0'],
  ])('the resource %s divided by %s, rounded up', async (resource, divisor, expected) => {
    const resourceFieldRef = { resource, ...(divisor !== undefined && { divisor }) };
    expect(await valueFor({ resourceFieldRef }, { resources })).toBe(expected);
  });

  test('without a limit, what the node can give', async () => {
    expect(await valueFor({ resourceFieldRef: { resource: 'limits.cpu' } })).toBe('2');
    expect(await valueFor({ resourceFieldRef: { resource: 'limits.memory', divisor: '1Gi' } })).toBe('4');
    expect(await valueFor({ resourceFieldRef: { resource: 'requests.cpu' } })).toBe('0');
  });

  test('a key of a ConfigMap, a Secret, a file', async () => {
    expect(await valueFor({ configMapKeyRef: { name: 'colours', key: 'COLOUR' } })).toBe('green');
    expect(await valueFor({ secretKeyRef: { name: 'login', key: 'PASSWORD' } })).toBe('s3cret');
    expect(await valueFor({ fileKeyRef: { volumeName: 'v', path: 'f.env', key: 'K' } })).toBe('v:f.env');
    const optional = { volumeName: 'v', path: 'f.env', key: 'nope', optional: true };
    expect(await valueFor({ fileKeyRef: optional })).toBeUndefined();
  });
});

describe('what is missing is said in the words of Kubernetes', () => {
  test.each([
    [{ configMapKeyRef: { name: 'nope', key: 'x' } }, 'configmap "nope" not found'],
    [{ secretKeyRef: { name: 'nope', key: 'x' } }, 'secret "nope" not found'],
    [{ configMapKeyRef: { name: 'colours', key: 'x' } }, "couldn't find key x in ConfigMap shop/colours"],
    [{ secretKeyRef: { name: 'login', key: 'x' } }, "couldn't find key x in Secret shop/login"],
    [{ fieldRef: { fieldPath: 'spec.replicas' } }, 'unsupported fieldPath: spec.replicas'],
    [{ resourceFieldRef: { resource: 'limits.gpu' } }, 'unsupported container resource : limits.gpu'],
    [{ resourceFieldRef: { containerName: 'nope', resource: 'limits.cpu' } }, 'container nope not found'],
    [
      { fileKeyRef: { volumeName: 'v', path: 'f.env', key: 'nope' } },
      'environment variable key "nope" not found in file "/pods/u-1/f.env"',
    ],
    [
      { secretKeyRef: { name: 'picture', key: 'png' } },
      'key png in Secret shop/picture is not UTF-8 and cannot be an environment variable: mount it as a file',
    ],
  ])('%j', async (valueFrom, message) => {
    await expect(valueFor(valueFrom)).rejects.toThrow(new ConfigProblem(message));
  });

  test('of envFrom, too, unless it is optional', async () => {
    await expect(variables({ envFrom: [{ secretRef: { name: 'nope' } }] })).rejects.toThrow(
      'secret "nope" not found',
    );
    const optional = [{ configMapRef: { name: 'nope', optional: true } }];
    expect(await variables({ envFrom: optional })).toEqual(Object.fromEntries(services));
  });
});

describe('what the process gets on top', () => {
  const machine = { PATH: '/bin', HOME: '/home/ann' };

  test('PATH, HOME and HOSTNAME, which the container may set itself', () => {
    const given = { pod, extra: { PORT: '4711' }, machine };
    expect(processEnvironment({ ...given, declared: new Map() })).toEqual({
      PATH: '/bin',
      HOME: '/home/ann',
      HOSTNAME: 'cart-x',
      PORT: '4711',
    });
    const declared = new Map([
      ['PATH', '/opt'],
      ['PORT', '80'],
    ]);
    expect(processEnvironment({ ...given, declared })).toMatchObject({ PATH: '/opt', PORT: '80' });
  });

  test('the hostname is what the pod says, cut to what a hostname may be', () => {
    const named = (spec: object, name = 'cart-x'): Pod => ({
      metadata: { name },
      spec: { containers: [], ...spec },
    });
    const host = (given: Pod) =>
      processEnvironment({ pod: given, declared: new Map(), extra: {}, machine })['HOSTNAME'];
    expect(host(named({ hostname: 'cart-0' }))).toBe('cart-0');
    expect(host(named({}, `${'x'.repeat(61)}--yz`))).toBe('x'.repeat(61));
  });

  test('a value with a nul byte is refused, without the value', () => {
    const declared = new Map([['TOKEN', 'top\0secret']]);
    expect(() => processEnvironment({ pod, declared, extra: {}, machine })).toThrow(
      new ConfigProblem('environment variable "TOKEN" contains nul byte (\\x00)'),
    );
  });
});
