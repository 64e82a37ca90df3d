import { type LocalServer, startLocalServer } from '@trimtab/test-bed/engines/local-server.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWebhookServer, type WebhookServer } from '../../../../test/contract/api/webhook-server.ts';

const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const patch = (...operations: object[]) => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});
let local: LocalServer;
let webhooks: WebhookServer;

beforeAll(async () => {
  local = await startLocalServer();
  webhooks = await startWebhookServer({
    first: () => ({ allowed: true }),
    second: () => patch({ op: 'add', path: '/data', value: { by: 'second' } }),
    unready: () => ({ allowed: true }),
  });
});
afterAll(async () => {
  await webhooks.close();
  await local.close();
});

const webhook = (name: string, more: object = {}) => ({
  name: `${name}.example.com`,
  clientConfig: { url: `${webhooks.url}/${name}`, caBundle: webhooks.caBundle },
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
  ...more,
});

async function installed<T>(entries: object[], work: () => Promise<T>): Promise<T> {
  const body = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'test' },
    webhooks: entries,
  };
  await local.client.raw({ method: 'POST', path, body });
  try {
    return await work();
  } finally {
    await local.client.raw({ method: 'DELETE', path: `${path}/test` });
  }
}

const create = (name: object) =>
  local.client.raw<{ metadata: { name: string }; data?: object }>({
    method: 'POST',
    path: '/api/v1/namespaces/default/configmaps',
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: name },
  });

test('a webhook that wants to see what later ones did is asked once more, and others are not', async () => {
  const entries = [
    webhook('first', { reinvocationPolicy: 'IfNeeded' }),
    webhook('unready'),
    webhook('second'),
  ];
  const made = await installed(entries, () => create({ name: 'a' }));
  expect(made.data).toEqual({ by: 'second' });
  expect(webhooks.requests('first').map(({ object }) => object)).toMatchObject([
    {},
    { data: { by: 'second' } },
  ]);
  expect(webhooks.requests('second')).toHaveLength(1);
  expect(webhooks.requests('unready')).toHaveLength(1);
});

test('a webhook sees a name that is yet to be made as none', async () => {
  const made = await installed([webhook('first')], () => create({ generateName: 'made-' }));
  expect(made.metadata.name).toMatch(/^made-/);
  const asked = webhooks.requests('first').at(-1);
  expect(asked?.name).toBeUndefined();
  expect(asked?.object).toMatchObject({ metadata: { generateName: 'made-' } });
});

test('a webhook that is named by its Service cannot be reached, and the refusal says what to do', async () => {
  const service = webhook('first', { clientConfig: { service: { name: 'hook', namespace: 'default' } } });
  await expect(installed([service], () => create({ name: 'b' }))).rejects.toThrow(
    /cannot call service default\/hook: set clientConfig\.url to the address of the webhook/,
  );
});

test('a webhook whose certificate nobody vouches for is not believed', async () => {
  const { url } = webhooks;
  const entries = [webhook('first', { clientConfig: { url: `${url}/first` } })];
  await expect(installed(entries, () => create({ name: 'c' }))).rejects.toThrow(
    /x509: certificate signed by unknown authority/,
  );
});
