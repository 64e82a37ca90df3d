import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { systemClock } from '@trimtab/kube/clock.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { configMaps, secrets } from '@trimtab/kube/resource.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { serverCertificate } from '@trimtab/test-bed/fault-proxy/server-certificate.ts';
import type { ConfigMap } from '@trimtab/test-bed/objects/config-map.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { authoritySecret } from '../../src/gateway/manifests/installation.ts';
import { gatewayCertificate } from '../../src/gateway/tls/gateway-certificate.ts';
import { GatewayProcess } from './support/gateway-process.ts';
import { GatewayScene } from './support/gateway-scene.ts';

let engine: Engine;
let admin: KubeClient;
let homeNamespace: string;
const { signal } = new AbortController();

beforeAll(async () => {
  engine = await currentEngine();
  admin = await engine.connect();
  homeNamespace = await engine.namespace();
});
afterAll(() => engine?.close());

/** Fingerprint of the certificate that a client with this CA sees; rejects when the client does not trust it. */
function shown(url: string, ca: string, servername = ''): Promise<string> {
  const { hostname: host, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), ca, servername }, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

const published = async (namespace = homeNamespace) => {
  const where = { namespace, name: 'trimtab-gateway-ca' };
  return (await admin.get<ConfigMap>(configMaps, where)).data?.['ca.crt'] ?? '';
};

test('the authority is replaced without a restart, and nobody is shown what they cannot know yet', async () => {
  const keeper = gatewayCertificate({
    ...{ client: admin, homeNamespace, hosts: ['gateway.example'], clock: systemClock, log: silentLogger },
  });
  await keeper.look(signal);
  const first = await published();
  const tls = { material: await keeper.material() };
  const gateway = await GatewayScene.start(engine, undefined, { tls, inThisProcess: true });
  try {
    const before = await shown(gateway.url, first);
    expect(await shown(gateway.url, first, 'gateway.example')).toBe(before);
    expect(await shown(gateway.url, first, `trimtab-gateway.${homeNamespace}.svc`)).toBe(before);
    await admin.delete(secrets, { namespace: homeNamespace, name: authoritySecret });
    await keeper.look(signal);
    expect(await shown(gateway.url, first)).toBe(before);
    await keeper.look(signal);
    const second = await published();
    expect(second).not.toBe(first);
    expect(await shown(gateway.url, second)).not.toBe(before);
    await expect(shown(gateway.url, first)).rejects.toThrow();
  } finally {
    await gateway.close();
  }
});

test('gateways that start at once have one authority, and agree on what they published', async () => {
  const home = await engine.namespace();
  const gateways = await Promise.all(
    ['a', 'b', 'c'].map(() => GatewayProcess.start(engine, { homeNamespace: home })),
  );
  try {
    const ca = await published(home);
    expect(ca.match(/BEGIN CERTIFICATE/g)).toHaveLength(1);
    for (const { url } of gateways) expect(await shown(url, ca, 'localhost')).not.toBe('');
  } finally {
    await Promise.all(gateways.map((each) => each.stop()));
  }
});

test('a certificate in files is served, and nothing is written to the cluster', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trimtab-tls-'));
  const elsewhere = await engine.namespace();
  const { cert, key, authority } = serverCertificate();
  const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  await Promise.all([writeFile(certFile, cert), writeFile(keyFile, key)]);
  const flags = ['--tls-certificate', certFile, '--tls-key', keyFile];
  const gateway = await GatewayProcess.start(engine, { homeNamespace: elsewhere, flags });
  try {
    expect(await shown(gateway.url, authority)).toBe(new X509Certificate(cert).fingerprint256);
    const { items } = await admin.list(secrets, { namespace: elsewhere });
    expect(items).toEqual([]);
  } finally {
    await gateway.stop();
    await rm(folder, { recursive: true });
  }
});
