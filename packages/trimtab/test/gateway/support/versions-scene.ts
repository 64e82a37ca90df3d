import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { clusterRoleFor, serviceAccount } from '@trimtab/test-bed/objects/rights.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import type { GatewayOptions } from '../../../src/gateway/gateway.ts';
import { installFor, uninstallFor } from '../../controller/installed-manifests.ts';
import { type Answered, type Call, GatewayScene } from './gateway-scene.ts';

/** `edit` of Kubernetes may read and write configs and Secrets, `view` may read ConfigMaps, nobody's role is `none`. */
const roles = { alice: 'edit', bob: 'view', carol: undefined } as const;

interface SceneOptions extends Pick<GatewayOptions, 'answerTimeoutMs'> {
  /** Puts something between the gateway and the API server. */
  between?: (access: ClusterAccess) => Promise<ClusterAccess>;
}

export type PersonName = keyof typeof roles;

/**
 * A gateway in front of the cluster, a namespace with the guards in force, and three people: Alice may edit, Bob may
 * look at what is not secret, Carol may nothing. No controller: nothing happens but what they ask for.
 */
export class VersionsScene {
  readonly engine: Engine;
  readonly gateway: GatewayScene;
  readonly namespace: string;
  /** The administrator's. */
  readonly client: KubeClient;

  private constructor(engine: Engine, gateway: GatewayScene, namespace: string, client: KubeClient) {
    this.engine = engine;
    this.gateway = gateway;
    this.namespace = namespace;
    this.client = client;
  }

  static async start({ between, ...options }: SceneOptions = {}): Promise<VersionsScene> {
    const engine = await currentEngine();
    const namespace = await engine.namespace();
    await installFor(engine, { namespace, webhook: false });
    const client = await engine.connect();
    const given = new Given(client, namespace);
    for (const [name, role] of Object.entries(roles)) {
      await given.object(serviceAccount(name));
      if (role !== undefined) await given.object(clusterRoleFor(role, name, { serviceAccount: name }));
    }
    const gateway = await GatewayScene.start(engine, undefined, {
      ...options,
      ...(between && { access: await between(await engine.access()) }),
    });
    return new VersionsScene(engine, gateway, namespace, client);
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await uninstallFor(this.engine, { namespace: this.namespace, webhook: false });
    await this.engine.close();
  }

  /** The name by which the cluster, and so its audit log, knows somebody. */
  usernameOf(who: PersonName): string {
    return `system:serviceaccount:${this.namespace}:${who}`;
  }

  identityOf(who: PersonName): { serviceAccount: string; namespace: string } {
    return { serviceAccount: who, namespace: this.namespace };
  }

  /** `path` is what comes after the namespace: `configmaps/foo/1.0.0`. */
  as(
    who: PersonName,
    method: string,
    path: string,
    body?: unknown,
    more: Partial<Call> = {},
  ): Promise<Answered> {
    return this.gateway.call(this.identityOf(who), {
      method,
      path: `/api/v1/namespaces/${this.namespace}/${path}`,
      ...(body !== undefined && { body }),
      ...more,
    });
  }

  /** The same below `/apis/trimtab.dev/v1alpha1`. */
  ours(who: PersonName, path: string, headers: Record<string, string> = {}): Promise<Answered> {
    return this.gateway.call(this.identityOf(who), {
      path: `/apis/trimtab.dev/v1alpha1/namespaces/${this.namespace}/${path}`,
      headers,
    });
  }

  /** Everything in the namespace that we could have written. */
  async objects(kind: 'configmaps' | 'secrets' | 'configrollouts'): Promise<KubeObject[]> {
    const api = kind === 'configrollouts' ? '/apis/trimtab.dev/v1alpha1' : '/api/v1';
    const path = `${api}/namespaces/${this.namespace}/${kind}`;
    const { items } = await this.client.raw<{ items: KubeObject[] }>({ method: 'GET', path });
    return items.filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt');
  }
}
