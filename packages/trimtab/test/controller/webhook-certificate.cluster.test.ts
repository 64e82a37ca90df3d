import { X509Certificate } from 'node:crypto';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { systemClock } from '@trimtab/kube/clock.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { secrets } from '@trimtab/kube/resource.ts';
import type { CertificateManager } from '@trimtab/kube/tls/certificate-manager.ts';
import { isConflict } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemNamespace } from '../../src/api/names.ts';
import { installation } from '../../src/controller/manifests/installation.ts';
import { printManifests } from '../../src/controller/manifests/print-manifests.ts';
import { webhookCertificate } from '../../src/controller/webhook/webhook-certificate.ts';
import { controllerIdentity, installFor, uninstallFor } from './installed-manifests.ts';

let engine: Engine;
let admin: KubeClient;
let namespace: string;
const webhookUrl = 'https://127.0.0.1:9443';
let options: { namespace: string; webhookUrl: string };
const { signal } = new AbortController();

beforeAll(async () => {
  engine = await currentEngine();
  admin = await engine.connect();
  namespace = await engine.namespace();
  options = { namespace, webhookUrl };
  await installFor(engine, options);
});

afterAll(async () => {
  if (engine === undefined) return;
  if (options !== undefined) await uninstallFor(engine, options);
  await admin.delete(secrets, secret()).catch(() => {});
  await engine.close();
});

const secret = () => ({
  namespace: systemNamespace,
  name: installation({ namespaces: [namespace] }).webhookSecret,
});

async function replica(): Promise<CertificateManager> {
  return webhookCertificate({
    client: await engine.connect(controllerIdentity),
    installation: installation({ namespaces: [namespace] }),
    hosts: ['127.0.0.1'],
    clock: systemClock,
    log: silentLogger,
  });
}

/** One periodic check of the certificate. A conflict is resolved by the next check. */
async function look(keeper: CertificateManager): Promise<void> {
  await keeper.look(signal).catch((error: unknown) => {
    if (!isConflict(error)) throw error;
  });
}

async function bundle(): Promise<string> {
  const name = installation({ namespaces: [namespace] }).webhookConfiguration;
  const path = `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${name}`;
  const configuration = await admin.raw<KubeObject & { webhooks: { clientConfig: { caBundle?: string } }[] }>(
    {
      method: 'GET',
      path,
    },
  );
  return Buffer.from(configuration.webhooks[0]?.clientConfig.caBundle ?? '', 'base64').toString();
}

async function isTrusted(keeper: CertificateManager): Promise<boolean> {
  const { certificate } = (await keeper.material()).current();
  const trusted = (await bundle()).split(/(?<=-----END CERTIFICATE-----\n)/).filter((pem) => pem !== '');
  return trusted.some((pem) => new X509Certificate(certificate).verify(new X509Certificate(pem).publicKey));
}

test('replicas that start at once agree on one authority', async () => {
  const replicas = await Promise.all([replica(), replica(), replica()]);
  await Promise.all(replicas.map(look));
  for (const each of replicas) await look(each);
  for (const each of replicas) expect(await isTrusted(each)).toBe(true);
  expect((await bundle()).match(/BEGIN/g)).toHaveLength(1);
});

test('what `kubectl replace` takes out of the webhook configuration comes back', async () => {
  const keeper = await replica();
  await look(keeper);
  const before = await bundle();
  const manifests = printManifests({ namespaces: [namespace], webhookUrl });
  const applied = await kubectl(engine, ['apply', '--filename', '-'], { stdin: manifests });
  expect(applied.code).toBe(0);
  expect(await bundle()).toBe(before);
  const replaced = await kubectl(engine, [
    'patch',
    'mutatingwebhookconfiguration',
    installation({ namespaces: [namespace] }).webhookConfiguration,
    '--type=json',
    '--patch',
    '[{"op":"remove","path":"/webhooks/0/clientConfig/caBundle"}]',
  ]);
  expect(replaced.stderr).toBe('');
  expect(await bundle()).toBe('');
  await look(keeper);
  expect(await bundle()).toBe(before);
});

test('an authority that was deleted is replaced without a restart, once API servers know the new one', async () => {
  const keeper = await replica();
  await look(keeper);
  const served = (await keeper.material()).current();
  await admin.delete(secrets, secret());
  await look(keeper);
  expect((await keeper.material()).current()).toBe(served);
  await look(keeper);
  expect((await keeper.material()).current()).not.toBe(served);
  expect(await isTrusted(keeper)).toBe(true);
});
