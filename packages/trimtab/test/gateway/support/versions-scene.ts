import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { clusterRoleFor, serviceAccount } from '@trimtab/test-bed/objects/rights.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import type { GatewayOptions } from '../../../src/gateway/gateway.ts';
import { installFor, uninstallFor } from '../../controller/installed-manifests.ts';
import { type Answered, type Call, GatewayScene } from './gateway-scene.ts';

/** Kubernetes' role `edit` may read and write ConfigMaps and Secrets; `view` may read ConfigMaps. */
const roles = { alice: 'edit', bob: 'view', carol: undefined } as const;

interface SceneOptions extends Pick<GatewayOptions, 'answerTimeoutMs'> {
  /** Inserts a proxy between the gateway and the API server. */
  between?: (access: ClusterAccess) => Promise<ClusterAccess>;
}

export type PersonName = keyof typeof roles;

/**
 * A gateway in front of the cluster, a namespace with the admission policies, and three users: Alice may edit, Bob may
 * view everything except Secrets, and Carol has no rights. No controller runs.
 */
export class VersionsScene {
  readonly engine: Engine;
  readonly gateway: GatewayScene;
  readonly namespace: string;
  /** Uses the administrator's credentials. */
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

  /** The user name in the cluster and its audit log. */
  usernameOf(who: PersonName): string {
    return `system:serviceaccount:${this.namespace}:${who}`;
  }

  identityOf(who: PersonName): { serviceAccount: string; namespace: string } {
    return { serviceAccount: who, namespace: this.namespace };
  }

  /** `path` is the part after the namespace, such as `configmaps/foo/1.0.0`. */
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

  /** Reads a path below `/apis/trimtab.dev/v1alpha1`. */
  ours(who: PersonName, path: string, headers: Record<string, string> = {}): Promise<Answered> {
    return this.gateway.call(this.identityOf(who), {
      path: `/apis/trimtab.dev/v1alpha1/namespaces/${this.namespace}/${path}`,
      headers,
    });
  }

  /** All objects of a kind in the namespace, except the ConfigMap that Kubernetes creates. */
  async objects(kind: 'configmaps' | 'secrets' | 'configrollouts'): Promise<KubeObject[]> {
    const api = kind === 'configrollouts' ? '/apis/trimtab.dev/v1alpha1' : '/api/v1';
    const path = `${api}/namespaces/${this.namespace}/${kind}`;
    const { items } = await this.client.raw<{ items: KubeObject[] }>({ method: 'GET', path });
    return items.filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt');
  }
}
