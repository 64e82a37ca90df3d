import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { configMaps, namespaces, nodes } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { loadBinaryImage } from '../cluster/images/load-binary-image.ts';
import { loadProgramImage } from '../cluster/images/load-program-image.ts';
import type { ProgramName } from '../cluster/images/program-images.ts';
import { bedFolder } from '../cluster/state/bed-folder.ts';
import { requireState } from '../cluster/state/bed-state.ts';
import { kubeconfigText } from '../fakes/kubeconfig-text.ts';
import { type AuditLog, auditLogFile } from './audit-log.ts';
import type { Bed } from './bed.ts';
import type { Address, Capabilities, Engine, Identity } from './engine.ts';
import type { TestedBinary } from './engine-images.ts';
import { accessOf } from './identity-access.ts';

/** Connects to the Kubernetes cluster described by a bed.json. */
export async function connectKubernetes(bed: Bed): Promise<Engine> {
  const access = await loadAccess({ kubeconfig: bed.kubeconfig });
  const admin = httpClient({ access, log: silentLogger });
  return new KubernetesEngine(bed, access, admin, await capabilitiesOf(bed, admin));
}

async function capabilitiesOf(bed: Bed, admin: KubeClient): Promise<Capabilities> {
  const pretending = await admin.list(nodes, { labelSelector: 'type=kwok', limit: 1 });
  return {
    realPods: bed.level === 2,
    simulatedPods: pretending.items.length > 0,
    auditLog: bed.auditLog !== undefined && existsSync(bed.auditLog),
  };
}

type Connection = KubeClient & { close(): void };

class KubernetesEngine implements Engine {
  readonly name = 'kubernetes';
  readonly level: 1 | 2;
  readonly kubeconfig: string;
  readonly kubectl: string;
  readonly capabilities: Capabilities;
  readonly images: { busybox: string; node: string };
  readonly #bed: Bed;
  readonly #access: ClusterAccess;
  readonly #admin: Connection;
  readonly #connections: Connection[] = [];
  readonly #namespaces: string[] = [];
  #folder: Promise<string> | undefined;

  constructor(bed: Bed, access: ClusterAccess, admin: Connection, capabilities: Capabilities) {
    this.level = bed.level;
    this.kubeconfig = bed.kubeconfig;
    this.kubectl = bed.kubectl;
    this.capabilities = capabilities;
    this.images = bed.containers?.images ?? { busybox: 'busybox', node: 'node' };
    this.#bed = bed;
    this.#access = access;
    this.#admin = admin;
  }

  async access(who?: Identity): Promise<ClusterAccess> {
    return who === undefined ? this.#access : accessOf(who, this.#access, this.#admin);
  }

  async connect(who?: Identity): Promise<KubeClient> {
    if (who === undefined) return this.#admin;
    const connection = httpClient({ access: await this.access(who), log: silentLogger });
    this.#connections.push(connection);
    return connection;
  }

  async kubeconfigOf(who: Identity | undefined, at?: Address): Promise<string> {
    this.#folder ??= mkdtemp(join(tmpdir(), 'trimtab-test-'));
    const file = join(await this.#folder, `${randomBytes(4).toString('hex')}.kubeconfig`);
    await writeFile(file, await kubeconfigText(await this.access(who), at), { mode: 0o600 });
    return file;
  }

  async namespace(): Promise<string> {
    const name = `test-${randomBytes(5).toString('hex')}`;
    await this.#admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    this.#namespaces.push(name);
    await this.#furnished(name);
    return name;
  }

  /** Waits for the two objects that the controller manager creates in a new namespace. Tests rely on both. */
  async #furnished(namespace: string): Promise<void> {
    const missing = async () => {
      await this.#admin.get(configMaps, { namespace, name: 'kube-root-ca.crt' });
      await this.#admin.raw({
        method: 'GET',
        path: `/api/v1/namespaces/${namespace}/serviceaccounts/default`,
      });
    };
    for (let attempt = 0; attempt < 1200; attempt++) {
      try {
        return await missing();
      } catch (error) {
        if (!isNotFound(error)) throw error;
        await delay(25);
      }
    }
    throw new Error(
      `Namespace ${namespace} has no default service account after 30 s: check that kube-controller-manager is running`,
    );
  }

  async loadProgramImage(program: ProgramName, name?: string): Promise<string> {
    const folder = bedFolder(this.#bed.name);
    return loadProgramImage(folder, requireState(folder), program, name);
  }

  async loadBinaryImage(image: TestedBinary): Promise<void> {
    const folder = bedFolder(this.#bed.name);
    return loadBinaryImage(folder, requireState(folder), image);
  }

  auditLog(): AuditLog {
    if (!this.capabilities.auditLog || this.#bed.auditLog === undefined)
      throw new Error(
        `Bed '${this.#bed.name}' does not write an audit log: check capabilities.auditLog first`,
      );
    return auditLogFile(this.#bed.auditLog, this.#admin);
  }

  async close(): Promise<void> {
    const removals = this.#namespaces.splice(0).map((name) => this.#admin.delete(namespaces, { name }));
    await Promise.allSettled(removals);
    for (const connection of [...this.#connections.splice(0), this.#admin]) connection.close();
    if (this.#folder) await rm(await this.#folder, { recursive: true, force: true });
  }
}
