import type { KubeClient } from '@trimtab/kube/client.ts';
import { type Clock, sleep } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { leases, nodes } from '@trimtab/kube/resource.ts';
import { isAlreadyExists, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Node } from '../../objects/node.ts';
import { type Machine, nodeLabels, nodeStatus } from './node-object.ts';

interface NodeOptions {
  client: KubeClient;
  clock: Clock;
  log: Logger;
  machine: Machine;
  /** Port of the kubelet's server. */
  port?: number;
  signal: AbortSignal;
}

interface Lease extends KubeObject {
  spec: { holderIdentity: string; leaseDurationSeconds: number; renewTime: string };
}

const leaseNamespace = 'kube-node-lease';
const renewEveryMs = 10_000;
const leaseSeconds = 40;
/** Interval between status updates in which only heartbeat times change. */
const statusEveryMs = 300_000;
const notReady = 'node.kubernetes.io/not-ready';

/** Creates the Node, or adopts the one of an earlier run, and reports it as Ready. */
export async function registerNode(options: NodeOptions): Promise<Node> {
  const { client, machine } = options;
  const labels = nodeLabels(machine);
  const { name } = machine;
  const fresh: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec: {} };
  const node = await client.create<Node>(nodes, fresh).catch(async (error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
    return client.patch<Node>(nodes, { name }, { type: 'merge', body: { metadata: { labels } } });
  });
  await writeStatus(options, node);
  await removeTaint(options, node);
  return node;
}

/** Renews the Lease until the signal aborts, updates the status periodically, and recreates a deleted Node. */
export async function keepNode(options: NodeOptions): Promise<void> {
  const { clock, log, signal } = options;
  let statusAt = clock.monotonic();
  while (!signal.aborted) {
    try {
      await renewLease(options);
      if (clock.monotonic() - statusAt >= statusEveryMs || (await isMissing(options))) {
        await registerNode(options);
        statusAt = clock.monotonic();
      }
    } catch (err) {
      if (!signal.aborted) log.warn({ err }, 'node heartbeat failed; retrying');
    }
    await sleep(clock, renewEveryMs, signal).catch(() => {});
  }
}

async function isMissing({ client, machine: { name } }: NodeOptions): Promise<boolean> {
  return client.get(nodes, { name }, { projection: 'metadata' }).then(
    () => false,
    (error: unknown) => {
      if (isNotFound(error)) return true;
      throw error;
    },
  );
}

async function writeStatus({ client, clock, machine, port }: NodeOptions, { status }: Node): Promise<void> {
  const now = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  const endpoint = port === undefined ? {} : { daemonEndpoints: { kubeletEndpoint: { Port: port } } };
  const body = { status: { ...nodeStatus(machine, status?.conditions ?? [], now), ...endpoint } };
  await client.patch(nodes, { name: machine.name }, { type: 'strategic', body }, { subresource: 'status' });
}

/** On a real cluster the node lifecycle controller removes this taint; the local cluster has no such controller. */
async function removeTaint(
  { client, machine: { name } }: NodeOptions,
  { spec, metadata }: Node,
): Promise<void> {
  const taints = spec?.taints ?? [];
  if (!taints.some(({ key }) => key === notReady)) return;
  const left = taints.filter(({ key }) => key !== notReady);
  const body = { metadata: { uid: metadata.uid }, spec: { taints: left.length === 0 ? null : left } };
  await client.patch(nodes, { name }, { type: 'merge', body });
}

async function renewLease({ client, clock, machine: { name }, signal }: NodeOptions): Promise<void> {
  const renewTime = new Date(clock.now()).toISOString().replace('Z', '000Z');
  const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime };
  const where = { namespace: leaseNamespace, name };
  await client
    .patch(leases, where, { type: 'merge', body: { spec } }, { signal })
    .catch(async (error: unknown) => {
      if (!isNotFound(error)) throw error;
      await client.create<Lease>(
        leases,
        { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: where, spec },
        { signal },
      );
    });
}
