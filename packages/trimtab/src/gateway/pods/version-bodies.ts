import type { KubeClient } from '@trimtab/kube/client.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { type VersionMetadata, versionMetadata } from '../../core/version/version-metadata.ts';
import { BoundedCache } from './bounded-cache.ts';

export interface VersionBody {
  version: VersionMetadata;
  body: ConfigBody;
}

const maxBytes = 32 * 2 ** 20;

/**
 * Versions with their content, read with the gateway's own identity and for pods only, whose spec names them. They
 * are immutable and their names are never used twice: what was read once stays true.
 */
export class VersionBodies {
  readonly #client: KubeClient;
  readonly #cache = new BoundedCache<VersionBody | undefined>(maxBytes);

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** Undefined for what is no version, or not there. */
  get(kind: ConfigKind, namespace: string, object: string): Promise<VersionBody | undefined> {
    return this.#cache.get(`${kind}/${namespace}/${object}`, async () => {
      const found = await this.#read(kind, namespace, object);
      // What is not there may come, and what is no version may change: only a version is kept.
      return { value: found, bytes: found === undefined ? undefined : sizeOf(found.body) };
    });
  }

  async #read(kind: ConfigKind, namespace: string, object: string): Promise<VersionBody | undefined> {
    try {
      const body = await this.#client.get<ConfigBody>(configResources[kind], { namespace, name: object });
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
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

function sizeOf({ data, binaryData }: ConfigBody): number {
  const values = [...Object.entries(data ?? {}), ...Object.entries(binaryData ?? {})];
  return values.reduce((sum, [key, value]) => sum + key.length + value.length, 1_000);
}
