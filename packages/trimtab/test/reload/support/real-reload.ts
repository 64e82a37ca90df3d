import { nodes } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { applyObjects } from '@trimtab/test-bed/story/apply-objects.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { annotations, systemNamespace } from '../../../src/api/names.ts';
import { gatewayManifests } from '../../../src/gateway/manifests/gateway-manifests.ts';
import { gatewayAccount } from '../../../src/gateway/manifests/installation.ts';
import { agentImage, loadAgentImage } from '../../agent/support/agent-image.ts';
import { GatewayProcess } from '../../gateway/support/gateway-process.ts';
import { installedStory } from '../../support/installed-story.ts';
import type { ReleaseStory } from '../../support/release-story.ts';

interface Node extends KubeObject {
  status?: { addresses?: { type: string; address: string }[] };
}

/** A namespace with the whole product: controller, webhooks and gateway as their own users, and real agents in pods. */
export class RealReload implements AsyncDisposable {
  readonly it: ReleaseStory;
  readonly #engine: Engine;
  readonly #gatewayFlags: string[];
  /** As pods reach it. */
  readonly gatewayUrl: string;
  gateway: GatewayProcess;

  private constructor(engine: Engine, it: ReleaseStory, gateway: GatewayProcess, flags: string[], url: URL) {
    this.#engine = engine;
    this.it = it;
    this.gateway = gateway;
    this.#gatewayFlags = [...flags, '--port', url.port];
    this.gatewayUrl = url.origin;
  }

  static async open(engine: Engine): Promise<RealReload> {
    await loadAgentImage(engine);
    const host = await addressForPods(engine);
    const client = await engine.connect();
    await applyObjects(client, [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: systemNamespace } },
      ...gatewayManifests({}),
    ]);
    const flags = ['--host', '0.0.0.0', '--tls-host', host];
    const gateway = await startGateway(engine, flags);
    const url = new URL(gateway.url);
    url.hostname = host;
    const controllerFlags = ['--agent-image', agentImage, '--gateway-url', url.origin];
    const it = await installedStory(engine, controllerFlags, { inject: true });
    return new RealReload(engine, it, gateway, flags, url);
  }

  async gatewayStops(): Promise<void> {
    await this.gateway.stop();
  }

  async gatewayStarts(): Promise<void> {
    this.gateway = await startGateway(this.#engine, this.#gatewayFlags);
  }

  /** Waits until the pods of an app are Ready; returns their names and addresses. */
  readyPods(app: string, count = 1): Promise<{ name: string; address: string }[]> {
    return waitFor(
      `${count} pods of ${app} are Ready`,
      async () => {
        const text = await this.it.when.kubectl('get', 'pods', '--selector', `app=${app}`, '-o', 'json');
        const found = (JSON.parse(text).items as PodObject[]).filter(
          ({ metadata, status }) =>
            metadata.deletionTimestamp === undefined &&
            status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
        );
        if (found.length !== count) return { seen: await this.describe(app) };
        return {
          met: found.map(({ metadata, status }) => ({
            name: metadata.name ?? '',
            address: status?.podIP ?? '',
          })),
        };
      },
      { timeoutMs: 90_000, everyMs: 200 },
    );
  }

  /** Waits until a URL responds with this text. */
  answers(url: string, text: string): Promise<true> {
    return waitFor(
      `${url} responds with ${text}`,
      async () => {
        const response = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(String);
        const body = typeof response === 'string' ? response : await response.text();
        return body.trim() === text ? { met: true as const } : { seen: body.slice(0, 500) };
      },
      { timeoutMs: 60_000, everyMs: 100 },
    );
  }

  /** For messages: the state of the pods of an app, and the log of their agents. */
  async describe(app: string): Promise<string> {
    const { when } = this.it;
    const get = await when.kubectl('get', 'pods,events', '-o', 'wide').catch(String);
    const log = await when
      .kubectl('logs', '--selector', `app=${app}`, '--container', 'trimtab-agent', '--tail', '20')
      .catch(String);
    return `${get}\n${log}`.slice(-6_000);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway.stop();
    await this.it[Symbol.asyncDispose]();
  }
}

interface PodObject extends KubeObject {
  status?: { podIP?: string; conditions?: { type: string; status: string }[] };
}

/** Opts a workload in to reloads, with further annotations such as `reload`. */
export function reloadedBy(more: Partial<Record<'reload' | 'verify' | 'configPort', string>> = {}) {
  const named = Object.entries(more).map(([key, value]) => [annotations[key as 'reload'], value]);
  return annotated({
    [annotations.manage]: 'true',
    [annotations.restart]: 'false',
    ...Object.fromEntries(named),
  });
}

async function startGateway(engine: Engine, flags: string[]): Promise<GatewayProcess> {
  const kubeconfig = await engine.kubeconfigOf({
    serviceAccount: gatewayAccount,
    namespace: systemNamespace,
  });
  return GatewayProcess.start(engine, { kubeconfig, homeNamespace: systemNamespace, flags });
}

/** The address of this machine that pods reach. Pods of the local cluster share its addresses. */
async function addressForPods(engine: Engine): Promise<string> {
  if (engine.name === 'local') return '127.0.0.1';
  const client = await engine.connect();
  const [node] = (await client.list<Node>(nodes, {})).items;
  return node?.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '127.0.0.1';
}
