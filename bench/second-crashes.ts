import { pods } from '@trimtab/kube/resource.ts';
import type { WatchEvent } from '@trimtab/kube/wire.ts';
import { findReferences } from 'trimtab/core/references/references.ts';
import type { BenchContext } from './row.ts';
import { type CrashingPod, hasCrashedTwice } from './second-crash.ts';

/** Tracks by a watch when a pod with a ConfigMap has crashed for the second time. */
export class SecondCrashes {
  readonly #seen = new Map<string, PromiseWithResolvers<number>>();

  static async watch({ client, namespace }: BenchContext, signal: AbortSignal): Promise<SecondCrashes> {
    const crashes = new SecondCrashes();
    const { metadata } = await client.list(pods, { namespace, signal });
    const stream = await client.watch(pods, {
      namespace,
      timeoutSeconds: 3_600,
      resourceVersion: metadata.resourceVersion ?? '',
      signal,
    });
    void (async () => {
      for await (const { object } of stream.events as AsyncIterable<WatchEvent<CrashingPod>>) {
        if (!hasCrashedTwice(object)) continue;
        for (const { name } of findReferences({ spec: object.spec }))
          crashes.#of(name).resolve(performance.now());
      }
    })().catch(() => {});
    return crashes;
  }

  /** Resolves with the time at which a pod that mounts this ConfigMap has crashed for the second time. */
  of(configMap: string): Promise<number> {
    return this.#of(configMap).promise;
  }

  #of(configMap: string): PromiseWithResolvers<number> {
    const known = this.#seen.get(configMap) ?? Promise.withResolvers<number>();
    this.#seen.set(configMap, known);
    return known;
  }
}
