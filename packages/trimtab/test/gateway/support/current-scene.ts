import type { ClusterAccess } from '@trimtab/kube/access.ts';
import { configMaps, pods } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { type ConfigMap, configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { serviceAccount } from '@trimtab/test-bed/objects/rights.ts';
import { applyObjects } from '@trimtab/test-bed/story/apply-objects.ts';
import { annotations, systemNamespace } from '../../../src/api/names.ts';
import type { Container, PodSpec } from '../../../src/api/pod-template.ts';
import { gatewayClusterRights, gatewayRights } from '../../../src/gateway/rights.ts';
import { controllerIdentity, installFor, uninstallFor } from '../../controller/installed-manifests.ts';
import { configRollout } from '../../support/config-rollout.ts';
import { ReleaseStory } from '../../support/release-story.ts';
import { type Answered, type Call, GatewayScene } from './gateway-scene.ts';
import { boundToken, podToken } from './pod-token.ts';
import { WatchReader } from './watch-reader.ts';

type Data = Record<string, string>;
export type PersonName = 'alice' | 'bob' | 'carol';

export interface SceneOptions {
  secrets?: boolean;
  maxStreamsPerPod?: number;
  /** Inserts a proxy between the gateway and the API server. */
  between?: (access: ClusterAccess) => Promise<ClusterAccess>;
}

/**
 * A namespace with a controller and a gateway, each with its own ServiceAccount and minimal permissions. Alice and
 * Carol may edit, Bob may view.
 */
export class CurrentScene implements AsyncDisposable {
  readonly story: ReleaseStory;
  readonly gateway: GatewayScene;
  readonly #tokens: Record<PersonName, string>;

  private constructor(story: ReleaseStory, gateway: GatewayScene, tokens: Record<PersonName, string>) {
    this.story = story;
    this.gateway = gateway;
    this.#tokens = tokens;
  }

  static async start(
    engine: Engine,
    { secrets = true, maxStreamsPerPod = 3, between = async (access) => access }: SceneOptions = {},
  ): Promise<CurrentScene> {
    const story = await ReleaseStory.start(engine, async (namespace) => {
      await installFor(engine, { namespace, webhook: false });
      return {
        options: {
          kubeconfig: await engine.kubeconfigOf(controllerIdentity),
          homeNamespace: systemNamespace,
        },
        undo: () => uninstallFor(engine, { namespace, webhook: false }),
      };
    });
    const { namespace } = story;
    for (const name of ['alice', 'bob', 'carol', 'gateway']) await story.given.object(serviceAccount(name));
    await applyObjects(story.client, [
      ...granted('alice', namespace, 'edit'),
      ...granted('carol', namespace, 'edit'),
      ...granted('bob', namespace, 'view'),
      ...gatewayRoles(namespace, secrets),
    ]);
    const gateway = await GatewayScene.start(engine, undefined, {
      access: await between(await engine.access({ serviceAccount: 'gateway', namespace })),
      current: { namespaces: [namespace], secrets, maxStreamsPerPod },
    });
    const token = (name: PersonName) => gateway.tokenOf({ serviceAccount: name, namespace });
    const tokens = { alice: await token('alice'), bob: await token('bob'), carol: await token('carol') };
    return new CurrentScene(story, gateway, tokens);
  }

  get namespace(): string {
    return this.story.namespace;
  }

  /** The user name of this person in the cluster. */
  userName(person: PersonName): string {
    return `system:serviceaccount:${this.namespace}:${person}`;
  }

  token(person: PersonName): string {
    return this.#tokens[person];
  }

  /** Creates a managed ConfigMap whose edits become versions without activation: 1.0.0 stays current. */
  async versions(name: string, ...contents: Data[]): Promise<void> {
    const [first = {}, ...others] = contents;
    await this.story.given.objects(
      configRollout(name, { bakeSeconds: 1 }, (rollout) => {
        rollout.spec.release = 'Manual';
      }),
      configMap(name, first),
    );
    await this.story.isCurrent('1.0.0', `configmap-${name}`);
    for (const [index, content] of others.entries()) {
      await this.story.when.edited<ConfigMap>(configMaps, name, withData(content));
      await this.#copyExists(name, `1.0.${index + 1}`);
    }
  }

  call(
    person: PersonName,
    request: Omit<Call, 'path'> & { config: string; kind?: string; rest?: string },
  ): Promise<Answered> {
    return this.gateway.callWith(this.token(person), { ...request, path: this.path(request) });
  }

  activate(person: PersonName, config: string, version: unknown, query = ''): Promise<Answered> {
    return this.call(person, { method: 'PUT', config, body: { version }, rest: `/current${query}` });
  }

  path({
    config,
    kind = 'configmaps',
    rest = '/current',
  }: {
    config: string;
    kind?: string;
    rest?: string;
  }): string {
    return `/api/v1/namespaces/${this.namespace}/${kind}/${config}${rest}`;
  }

  watch(token: string, config: string, query = '', kind = 'configmaps'): Promise<WatchReader> {
    const path = this.path({ config, kind, rest: `/current?watch=true${query}` });
    return WatchReader.open(`${this.gateway.url}${path}`, token);
  }

  /** Creates a pod that mounts these ConfigMaps and Secrets, and a token for it. */
  async pod(name: string, mounts: { configMaps?: string[]; secrets?: string[] }, marks: Data = {}) {
    const volumes = [
      ...(mounts.configMaps ?? []).map((config) => ({ name: `c-${config}`, configMap: { name: config } })),
      ...(mounts.secrets ?? []).map((config) => ({ name: `s-${config}`, secret: { secretName: config } })),
    ];
    const volumeMounts = volumes.map((volume) => ({ name: volume.name, mountPath: `/${volume.name}` }));
    return this.podWith(name, { volumes, containers: [{ name: 'app', volumeMounts }] }, marks);
  }

  /** Creates a pod with this spec, and a token for it. Containers need no image. A pod with `schedulerName` gets no node. */
  async podWith(
    name: string,
    { containers = [{ name: 'app' }], ...spec }: PodSpec & { schedulerName?: string },
    marks: Data = {},
  ) {
    const withImages = (list: Container[]) => list.map((each) => ({ image: 'busybox', ...each }));
    const { initContainers = [] } = spec;
    const pod = await this.story.client.create<KubeObject>(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: this.namespace, annotations: marks },
      spec: {
        ...spec,
        initContainers: withImages(initContainers),
        containers: withImages(containers),
        terminationGracePeriodSeconds: 0,
      },
    } as KubeObject);
    const { schedulerName } = spec;
    const token = schedulerName === undefined ? podToken : boundToken;
    return { pod, token: await token(this.story.client, pod) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway.close();
    await this.story[Symbol.asyncDispose]();
  }

  async #copyExists(config: string, version: string): Promise<void> {
    await this.story.eventuallyAll(`version ${version} of ${config} is there`, configMaps, (all) =>
      all.some(
        ({ metadata }) =>
          metadata.annotations?.[annotations.version] === version &&
          metadata.annotations[annotations.config] === config,
      ),
    );
  }
}

function granted(account: string, namespace: string, clusterRole: string): KubeObject[] {
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: account, namespace },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: clusterRole },
  };
  return [binding];
}

/** Roles with exactly the permissions of `rights.ts`. */
function gatewayRoles(namespace: string, secrets: boolean): KubeObject[] {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const subjects = [{ kind: 'ServiceAccount', name: 'gateway', namespace }];
  const apiGroup = 'rbac.authorization.k8s.io';
  const name = `gateway-${namespace}`;
  const objects: object[] = [
    { apiVersion, kind: 'Role', metadata: { name: 'gateway', namespace }, rules: gatewayRights({ secrets }) },
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata: { name: 'gateway', namespace },
      subjects,
      roleRef: { apiGroup, kind: 'Role', name: 'gateway' },
    },
    { apiVersion, kind: 'ClusterRole', metadata: { name }, rules: gatewayClusterRights },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      subjects,
      roleRef: { apiGroup, kind: 'ClusterRole', name },
    },
  ];
  return objects as KubeObject[];
}
