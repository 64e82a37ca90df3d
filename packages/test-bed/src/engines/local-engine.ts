import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { namespaces } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import type { ApiServer } from '@trimtab/local-cluster/apiserver/server.ts';
import { startLocalCluster } from '@trimtab/local-cluster/local-cluster.ts';
import type { NodeOptions } from '@trimtab/local-cluster/local-node.ts';
import type { ProgramName } from '../cluster/images/program-images.ts';
import { kubeconfigText } from '../fakes/kubeconfig-text.ts';
import { waitFor } from '../watching/wait-for.ts';
import { type AuditLog, auditLogFile } from './audit-log.ts';
import type { Address, Capabilities, Engine, Identity } from './engine.ts';
import type { TestedBinary } from './engine-images.ts';
import { findKubectl } from './find-kubectl.ts';
import { accessOf } from './identity-access.ts';
import { LocalImages } from './local-images.ts';

type Connection = KubeClient & { close(): void };

interface Running {
  folder: string;
  server: ApiServer;
  auditLog: string;
}

let running: Promise<Running> | undefined;
let users = 0;

/** A local cluster in this process with its own state. All engines that are open at the same time share it. */
export async function openLocalEngine(): Promise<Engine> {
  users += 1;
  running ??= start();
  return engineOf(await running, leave);
}

/** A local cluster for this engine only. Its pods are processes of this machine. */
export async function openLocalEngineWithNode(node: NodeOptions): Promise<Engine> {
  const images = new LocalImages(node);
  const own = await start({ ...node, images: images.images, programs: images.programs });
  const engine = await engineOf(own, () => stop(own), images);
  engine.capabilities.realPods = true;
  return engine;
}

async function engineOf(
  { server, auditLog, folder }: Running,
  left: () => Promise<void>,
  images?: LocalImages,
): Promise<Engine> {
  const access = await loadAccess({ kubeconfig: server.kubeconfigFile });
  return new LocalEngine({ folder, server, access, auditLog, left, images });
}

async function start(node?: NodeOptions): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'trimtab-local-'));
  const auditLog = join(folder, 'audit.log');
  const server = await startLocalCluster({
    stateDir: join(folder, 'state'),
    port: 0,
    log: silentLogger,
    auditLog,
    // Tests connect over the network. Its controllers connect in memory, which reduces CPU usage by a sixth.
    inProcess: true,
    ...(node && { node }),
  });
  return { folder, server, auditLog };
}

/** Closes the shared cluster when its last engine is closed. */
async function leave(): Promise<void> {
  users -= 1;
  if (users > 0 || running === undefined) return;
  const last = await running;
  running = undefined;
  await stop(last);
}

async function stop({ server, folder }: Running): Promise<void> {
  await server.close();
  await rm(folder, { recursive: true, force: true });
}

interface Opened extends Running {
  access: ClusterAccess;
  left: () => Promise<void>;
  /** Undefined when the cluster has no node. */
  images: LocalImages | undefined;
}

class LocalEngine implements Engine {
  readonly name = 'local';
  readonly level = 1;
  readonly kubeconfig: string;
  readonly kubectl = findKubectl() ?? 'kubectl';
  readonly images = { busybox: 'busybox', node: 'node' };
  readonly capabilities: Capabilities = { realPods: false, simulatedPods: false, auditLog: true };
  readonly #folder: string;
  readonly #server: ApiServer;
  readonly #access: ClusterAccess;
  readonly #admin: Connection;
  readonly #auditLog: string;
  readonly #left: () => Promise<void>;
  readonly #images: LocalImages | undefined;
  readonly #connections: Connection[] = [];

  constructor({ folder, server, access, auditLog, left, images }: Opened) {
    this.#left = left;
    this.#images = images;
    this.kubeconfig = server.kubeconfigFile;
    this.#folder = folder;
    this.#server = server;
    this.#access = access;
    this.#auditLog = auditLog;
    this.#admin = httpClient({ access, log: silentLogger });
  }

  async access(who?: Identity): Promise<ClusterAccess> {
    if (who === undefined) return this.#access;
    if (!('certificateOf' in who)) return accessOf(who, this.#access, this.#admin);
    const groups = who.group === undefined ? [] : [who.group];
    const { certificate: cert, key } = this.#server.certificateFor(who.certificateOf, groups);
    const tls = async () => ({ ...(await this.#access.tls()), cert, key });
    return { ...this.#access, tls, headers: async () => ({}) };
  }

  async connect(who?: Identity): Promise<KubeClient> {
    if (who === undefined) return this.#admin;
    const connection = httpClient({ access: await this.access(who), log: silentLogger });
    this.#connections.push(connection);
    return connection;
  }

  async kubeconfigOf(who: Identity | undefined, at?: Address): Promise<string> {
    const file = join(this.#folder, `${randomBytes(4).toString('hex')}.kubeconfig`);
    await writeFile(file, await kubeconfigText(await this.access(who), at), { mode: 0o600 });
    return file;
  }

  async namespace(): Promise<string> {
    const name = `test-${randomBytes(5).toString('hex')}`;
    await this.#admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await waitFor(`namespace ${name} has its service account and CA bundle`, async () => {
      const [account, bundle] = await Promise.all(
        ['serviceaccounts/default', 'configmaps/kube-root-ca.crt'].map((path) =>
          this.#admin
            .raw({ method: 'GET', path: `/api/v1/namespaces/${name}/${path}` })
            .then(() => true)
            .catch((error: unknown) => {
              if (isNotFound(error)) return false;
              throw error;
            }),
        ),
      );
      return account && bundle ? { met: true } : { seen: `account ${account}, bundle ${bundle}` };
    });
    return name;
  }

  async loadProgramImage(program: ProgramName, name?: string): Promise<string> {
    return this.#imagesOfNode().loadProgramImage(program, name);
  }

  async loadBinaryImage(image: TestedBinary): Promise<void> {
    await this.#imagesOfNode().loadBinaryImage(image);
  }

  #imagesOfNode(): LocalImages {
    if (this.#images !== undefined) return this.#images;
    throw new Error('This local cluster has no real pods: open it with openLocalEngineWithNode');
  }

  auditLog(): AuditLog {
    return auditLogFile(this.#auditLog, this.#admin);
  }

  async close(): Promise<void> {
    for (const connection of [...this.#connections.splice(0), this.#admin]) connection.close();
    await this.#left();
  }
}
