import type { KubeClient } from '@trimtab/kube/client.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { annotations, labels } from '../../../src/api/names.ts';
import { contentHash } from '../../../src/core/version/content-hash.ts';
import { rolloutName } from '../../../src/core/version/object-names.ts';
import type { Config } from '../support/world.ts';

export type Data = Record<string, string>;

/** The expected state of a config in a random scenario. */
export class ConfigModel {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name: string;
  /** The last content that a user wrote. */
  live: Data;
  /** The content that must be current. */
  current: Data;
  /** All contents that have been current. */
  readonly known: Data[];
  isRejected = false;

  constructor(kind: 'ConfigMap' | 'Secret', name: string, data: Data) {
    this.kind = kind;
    this.name = name;
    this.live = data;
    this.current = data;
    this.known = [data];
  }

  get rollout(): string {
    return rolloutName(this.kind, this.name);
  }

  becomes(data: Data): void {
    this.live = data;
    this.current = data;
    this.known.push(data);
    this.isRejected = false;
  }

  isRefused(data: Data): void {
    this.live = data;
    this.isRejected = true;
  }

  /** The short hash that snapshots use. */
  hashOf(data: Data): string {
    return this.#fullHash(data).slice(0, 8);
  }

  /** Replaces the content: keys that `data` lacks are removed. */
  async write(client: KubeClient, namespace: string, data: Data): Promise<void> {
    const where = { namespace, name: this.name };
    const { data: before = {} } = await client.get<Config>(configResources[this.kind], where);
    const gone = Object.fromEntries(Object.keys(before).map((key) => [key, null]));
    const body = { data: { ...gone, ...this.#encoded(data) } };
    await client.patch(configResources[this.kind], where, { type: 'merge', body });
  }

  /** `kubectl create --dry-run=client -o yaml | kubectl replace -f -`: labels and annotations are gone. */
  async replace(client: KubeClient, namespace: string, data: Data): Promise<void> {
    await client.update(configResources[this.kind], this.manifest(data, namespace));
  }

  async delete(client: KubeClient, namespace: string): Promise<void> {
    await client.delete(configResources[this.kind], { namespace, name: this.name });
  }

  async create(client: KubeClient, namespace: string, data: Data): Promise<void> {
    await client.create(configResources[this.kind], this.manifest(data, namespace));
  }

  manifest(data: Data, namespace?: string): KubeObject {
    const object = this.kind === 'Secret' ? secret(this.name, data) : configMap(this.name, data);
    return { ...object, metadata: { ...object.metadata, ...(namespace && { namespace }) } };
  }

  /** Returns the name of the version with this content. */
  async versionWith(client: KubeClient, namespace: string, data: Data): Promise<string> {
    const selection = { namespace, labelSelector: labels.versionOf };
    const { items } = await client.list<Config>(configResources[this.kind], selection);
    const found = items.find(
      ({ metadata: { annotations: marks = {} } }) =>
        marks[annotations.config] === this.name && marks[annotations.contentHash] === this.#fullHash(data),
    );
    const version = found?.metadata.annotations?.[annotations.version];
    if (version === undefined) throw new Error(`a version of ${this.name} is lost: ${JSON.stringify(data)}`);
    return version;
  }

  #fullHash(data: Data): string {
    return contentHash({ data: this.#encoded(data), type: this.kind === 'Secret' ? 'Opaque' : undefined });
  }

  #encoded(data: Data): Data {
    if (this.kind === 'ConfigMap') return data;
    const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    return Object.fromEntries(encoded);
  }
}
