import { configMaps, pods } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigBody } from 'trimtab/api/config-body.ts';
import type { ConfigRollout } from 'trimtab/api/config-rollout.ts';
import { configRollouts } from 'trimtab/api/config-rollout.ts';
import { contentHash } from 'trimtab/core/version/content-hash.ts';
import { versionObject } from 'trimtab/core/version/version-object.ts';
import { podToken } from '../../packages/trimtab/test/gateway/support/pod-token.ts';
import { configRollout } from '../../packages/trimtab/test/support/config-rollout.ts';
import type { BenchContext } from '../row.ts';

export interface StreamConfig {
  tokens: string[];
  /** Makes the next version current and returns its name. `sentAt` is the time just before the write. */
  push(): Promise<{ version: string; sentAt: number }>;
  /** The name of the version that the next `push` makes current. */
  next(): string;
}

/** Creates a managed config of 1 KiB and pods that reference it. No controller runs. */
export async function streamConfig(
  context: BenchContext,
  podCount: number,
  versions: number,
): Promise<StreamConfig> {
  const { client, namespace, say } = context;
  const written = { ...configRollout('streamed'), metadata: { name: 'configmap-streamed', namespace } };
  const rollout = (await client.create<KubeObject>(configRollouts, written)) as ConfigRollout;
  const objects: { version: string; object: string; contentHash: string }[] = [];
  for (let n = 0; n < versions; n++) {
    const body: ConfigBody = { metadata: {}, data: { text: String(n).padEnd(1024, 'x') } };
    const version = {
      name: `r${n}`,
      sequence: n + 1,
      contentHash: contentHash(body),
      createdBy: 'bench',
      state: 'not-current' as const,
    };
    const made = await client.create<ConfigBody>(configMaps, versionObject(rollout, body, version));
    objects.push({
      version: version.name,
      object: made.metadata.name ?? '',
      contentHash: version.contentHash,
    });
  }
  let at = 0;
  const makeCurrent = async (n: number) => {
    const since = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
    const body = { status: { phase: 'Current', current: { ...objects[n], since } } };
    const where = { namespace, name: 'configmap-streamed' };
    await client.patch(configRollouts, where, { type: 'merge', body }, { subresource: 'status' });
  };
  await makeCurrent(0);
  const tokens: string[] = [];
  for (let n = 0; n < podCount; n++) {
    say(`gateway-streams: pod ${n} of ${podCount}`);
    tokens.push(await podToken(client, await client.create(pods, pod(`reader-${n}`, namespace))));
  }
  return {
    tokens,
    next: () => objects[at + 1]?.version ?? '',
    async push() {
      at += 1;
      const sentAt = performance.timeOrigin + performance.now();
      await makeCurrent(at);
      return { version: objects[at]?.version ?? '', sentAt };
    },
  };
}

function pod(name: string, namespace: string): KubeObject {
  const spec = {
    containers: [{ name: 'app', image: 'busybox', envFrom: [{ configMapRef: { name: 'streamed' } }] }],
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec } as KubeObject;
}
