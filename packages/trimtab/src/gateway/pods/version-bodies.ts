import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { type VersionMetadata, versionMetadata } from '../../core/version/version-metadata.ts';
import { BoundedCache } from './bounded-cache.ts';

export interface VersionBody {
  version: VersionMetadata;
  body: ConfigBody;
}

const maxBytes = 32 * 2 ** 20;

/** What is shown to pods is created from content of this age at most, and shown for as long again. */
export const contentAgeMs = 30_000;

/**
 * Versions with their content, read with the gateway's own credentials, only for pods whose spec references them.
 * Versions are immutable and their names are never reused, so cached versions stay valid until they are deleted. They
 * are read again from time to time: the content of a version that was purged must not be read here any more.
 */
export class VersionBodies {
  readonly #client: KubeClient;
  readonly #cache: BoundedCache<VersionBody | undefined>;

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#cache = new BoundedCache(maxBytes, { clock, maxAgeMs: contentAgeMs });
  }

  /** Returns undefined when the object does not exist or is not a version. */
  get(kind: ConfigKind, namespace: string, object: string): Promise<VersionBody | undefined> {
    return this.#cache.get(`${kind}/${namespace}/${object}`, async () => {
      const found = await this.#read(kind, namespace, object);
      // Only versions are cached: a missing object may be created, and any other object may change.
      return { value: found, bytes: found === undefined ? undefined : sizeOf(found.body) };
    });
  }

  async #read(kind: ConfigKind, namespace: string, object: string): Promise<VersionBody | undefined> {
    const where = { namespace, name: object };
    const body = await getIfExists<ConfigBody>(this.#client, configResources[kind], where);
    if (body === undefined) return undefined;
    const { managedFields: _, ...metadata } = body.metadata as ConfigBody['metadata'] & {
      managedFields?: unknown;
    };
    const version = versionMetadata({
      kind,
      namespace,
      name: object,
      uid: metadata.uid ?? '',
      labels: metadata.labels ?? {},
      annotations: metadata.annotations ?? {},
      ownerReferences: [],
    });
    return version === undefined || body.immutable !== true
      ? undefined
      : { version, body: { ...body, kind, metadata } };
  }
}

function sizeOf({ data, binaryData }: ConfigBody): number {
  const values = [...Object.entries(data ?? {}), ...Object.entries(binaryData ?? {})];
  return values.reduce((sum, [key, value]) => sum + key.length + value.length, 1_000);
}
