import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { freePort } from '@trimtab/kube/http/free-port.ts';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { endpointSlices, nodes, pods, services } from '@trimtab/kube/resource.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { type Observation, waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiServer } from '../apiserver/server.ts';
import { startLocalCluster } from '../local-cluster.ts';
import { localPortsAnnotation } from '../objects/local-ports.ts';
import type { Node } from '../objects/node.ts';
import type { Pod } from '../objects/pod.ts';
import type { Endpoint, EndpointSlice, Service } from '../objects/service.ts';

const namespace = 'default';
const host = '127.0.0.1';
let stateDir: string;
let cluster: ApiServer;
let client: KubeClient & { close(): void };
const servers: Server[] = [];

beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'test-proxy-'));
  await start();
});

afterAll(async () => {
  await stop();
  for (const server of servers) server.close();
  await rm(stateDir, { recursive: true, force: true });
});

async function start(): Promise<void> {
  cluster = await startLocalCluster({ stateDir, port: 0, log: silentLogger, loadBalancers: true });
  client = httpClient({
    access: await loadAccess({ kubeconfig: cluster.kubeconfigFile }),
    log: silentLogger,
  });
}

async function stop(): Promise<void> {
  client.close();
  await cluster.close();
}

/** Starts a program that sends its name to each client and closes the connection. Returns its port. */
async function program(name: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end(name);
  });
  server.listen(0, host);
  await once(server, 'listening');
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

async function ask(port: number): Promise<string> {
  const socket = connect({ host, port });
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  return new Promise((resolve) => {
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.on('end', () => resolve(text));
  });
}

/** A Service without a selector, so that the test can create its endpoints. */
async function balanced(name: string, port: number, spec: object = {}): Promise<Service> {
  return client.create<Service>(services, {
    metadata: { namespace, name },
    spec: { type: 'LoadBalancer', ports: [{ port }], ...spec },
  });
}

/** The endpoint refers to a pod because only pods may have loopback addresses. */
function endpoint(ready: boolean): Endpoint {
  return { addresses: [host], conditions: { ready }, targetRef: { kind: 'Pod', namespace, name: 'made-up' } };
}

async function endpoints(name: string, ports: readonly number[], ready = true): Promise<void> {
  for (const port of ports) {
    const slice: EndpointSlice = {
      metadata: {
        namespace,
        name: `${name}-${port}`,
        labels: { 'kubernetes.io/service-name': name },
      },
      addressType: 'IPv4',
      ports: [{ name: '', protocol: 'TCP', port }],
      endpoints: [endpoint(ready)],
    };
    await client.create(endpointSlices, slice);
  }
}

function listensOn(name: string): Promise<number> {
  return waitFor(`${name} has a port`, async (): Promise<Observation<number>> => {
    const { metadata, status } = await client.get<Service>(services, { namespace, name });
    const text = metadata.annotations?.[localPortsAnnotation];
    const ingress = status?.loadBalancer?.ingress;
    const [, local] = text?.split('=') ?? [];
    return local === undefined || ingress === undefined ? { seen: `${text}` } : { met: Number(local) };
  });
}

function answers(port: number, ...expected: string[]): Promise<true> {
  return waitFor(`${expected.join(' and ')} on ${port}`, async () => {
    const heard = new Set<string>();
    for (let n = 0; n < expected.length * 2; n++) heard.add(await ask(port));
    const text = [...heard].sort().join();
    return text === expected.toSorted().join() ? { met: true as const } : { seen: text };
  });
}

test('a Service has its own port on this machine, and its pods answer in turn', async () => {
  const own = await freePort();
  await balanced('web', own);
  await endpoints('web', [await program('one'), await program('two')]);
  expect(await listensOn('web')).toBe(own);
  await answers(own, 'one', 'two');
  const { status } = await client.get<Service>(services, { namespace, name: 'web' });
  expect(status?.loadBalancer?.ingress).toEqual([
    { ip: host, ipMode: 'Proxy', ports: [{ port: own, protocol: 'TCP' }] },
  ]);
});

test('a pod that becomes Ready is found by its labels, and its port by name', async () => {
  await client.create<Node>(nodes, { metadata: { name: 'here' } });
  const ports = [{ name: 'web', containerPort: await program('found') }];
  await client.create<Pod>(pods, {
    metadata: { namespace, name: 'found', labels: { app: 'found' } },
    spec: { nodeName: 'here', containers: [{ name: 'app', image: 'app', ports }] },
  });
  await balanced('found', await freePort(), {
    selector: { app: 'found' },
    ports: [{ port: await freePort(), targetPort: 'web' }],
  });
  const port = await listensOn('found');
  expect(await ask(port)).toBe('ECONNRESET');
  const conditions = [{ type: 'Ready', status: 'True' }];
  const body = { status: { phase: 'Running', podIP: '127.0.0.1', conditions } };
  const where = { namespace, name: 'found' };
  await client.patch(pods, where, { type: 'strategic', body }, { subresource: 'status' });
  await answers(port, 'found');
});

test('a port that is taken is another one, and the Service says which', async () => {
  const taken = await program('somebody else');
  await balanced('second', taken);
  await endpoints('second', [await program('second')]);
  const port = await listensOn('second');
  expect(port).not.toBe(taken);
  await answers(port, 'second');
});

test('without a pod that is ready a connection is refused at once, and not any more when there is one', async () => {
  await balanced('waiting', await freePort());
  const target = await program('ready now');
  await endpoints('waiting', [target], false);
  const port = await listensOn('waiting');
  expect(await ask(port)).toBe('ECONNRESET');
  const body = { endpoints: [endpoint(true)] };
  const name = `waiting-${target}`;
  await client.patch(endpointSlices, { namespace, name }, { type: 'merge', body });
  await answers(port, 'ready now');
});

test('a Service that is gone, or no load balancer any more, gives its port back', async () => {
  await balanced('gone', await freePort());
  await balanced('changed', await freePort());
  const ports = [await listensOn('gone'), await listensOn('changed')];
  await client.delete(services, { namespace, name: 'gone' });
  const body = { spec: { type: 'ClusterIP' } };
  await client.patch(services, { namespace, name: 'changed' }, { type: 'merge', body });
  for (const port of ports) await answers(port, 'ECONNREFUSED');
  await waitFor('the annotation and the ingress are removed', async () => {
    const { metadata, status } = await client.get<Service>(services, { namespace, name: 'changed' });
    const left = [metadata.annotations?.[localPortsAnnotation], status?.loadBalancer?.ingress];
    return left.every((each) => each === undefined) ? { met: true } : { seen: JSON.stringify(left) };
  });
});

test('somebody else’s load balancer is left alone', async () => {
  await balanced('theirs', await freePort(), { loadBalancerClass: 'cloud.dev/other' });
  await balanced('after-theirs', await freePort());
  await listensOn('after-theirs');
  const { metadata, status } = await client.get<Service>(services, { namespace, name: 'theirs' });
  expect([metadata.annotations, status?.loadBalancer]).toEqual([undefined, {}]);
});

test('after a restart each Service is where it was', async () => {
  const blocker = await program('in the way');
  await balanced('kept', blocker);
  await endpoints('kept', [await program('kept')]);
  const before = await listensOn('kept');
  await stop();
  expect(await ask(before)).toBe('ECONNREFUSED');
  await start();
  await answers(before, 'kept');
  expect(await listensOn('kept')).toBe(before);
});
