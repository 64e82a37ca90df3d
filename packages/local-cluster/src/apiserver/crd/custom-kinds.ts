import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { StatusError } from '../errors/status-error.ts';
import type { Kind } from '../kinds/kind.ts';
import type { KindRegistry } from '../kinds/kind-registry.ts';
import { customResourceDefinitions } from '../kinds/policy/custom-resource-definition.ts';
import { clone } from '../object.ts';
import type { ObjectStorage } from '../storage/object-storage.ts';
import { parseObject } from '../storage/object-text.ts';
import { Cleanup } from './cleanup.ts';
import { customKind } from './custom-kind.ts';
import { byPriority, cleanupFinalizer, type Definition, isTrue } from './definition.ts';
import { nextStatus } from './naming.ts';

/** Registers the kinds of the CustomResourceDefinitions in the store, and writes the status of the definitions. */
export class CustomKinds {
  readonly #storage: ObjectStorage;
  readonly #registry: KindRegistry;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #served = new Map<string, Kind[]>();
  readonly #definitions = new Map<string, Definition>();
  readonly #cleanups = new Map<string, Cleanup>();
  #stop: () => void = () => {};

  constructor(options: { storage: ObjectStorage; registry: KindRegistry; clock: Clock; log: Logger }) {
    this.#storage = options.storage;
    this.#registry = options.registry;
    this.#clock = options.clock;
    this.#log = options.log;
  }

  start(): void {
    const { store } = this.#storage;
    const prefix = customResourceDefinitions.storagePrefix;
    const listed = store.list(prefix);
    for (const { value } of listed.items) this.#see(parseObject(value) as Definition);
    this.#stop = store.watch(listed.revision, ({ type, now }) => {
      if (!now.key.startsWith(prefix)) return;
      const definition = parseObject(now.value) as Definition;
      if (type === 'delete') this.#forget(definition);
      else this.#see(definition);
    });
  }

  close(): void {
    this.#stop();
    for (const cleanup of this.#cleanups.values()) cleanup.close();
  }

  #see(definition: Definition): void {
    const { name = '', deletionTimestamp, finalizers = [] } = definition.metadata;
    this.#definitions.set(name, definition);
    if (isTrue(definition, 'Established')) this.#serve(name, definition);
    if (deletionTimestamp !== undefined && finalizers.includes(cleanupFinalizer))
      this.#clean(name, definition);
    else if (nextStatus(definition, this.#others(name), this.#clock.now()) !== undefined)
      void this.#tell(name);
  }

  #others(name: string): Definition[] {
    return [...this.#definitions].flatMap(([other, definition]) => (other === name ? [] : [definition]));
  }

  #serve(name: string, definition: Definition): void {
    const versions = (definition.spec.versions ?? []).filter(({ served }) => served);
    versions.sort((a, b) => byPriority(a.name, b.name));
    const kinds = versions.map((version) => customKind(definition, version));
    for (const old of this.#served.get(name) ?? [])
      if (!kinds.some(({ version }) => version === old.version)) this.#registry.remove(old);
    for (const kind of kinds) this.#registry.add(kind);
    this.#served.set(name, kinds);
  }

  #forget({ metadata }: Definition): void {
    const { name = '' } = metadata;
    for (const kind of this.#served.get(name) ?? []) this.#registry.remove(kind);
    this.#served.delete(name);
    this.#definitions.delete(name);
    this.#cleanups.get(name)?.close();
    this.#cleanups.delete(name);
    // The names of the deleted definition are free, so the status of another definition may change.
    for (const other of this.#definitions.keys()) void this.#tell(other);
  }

  /** Writes the next step of a definition's status; the watch event of that write triggers the step after it. */
  async #tell(name: string): Promise<void> {
    try {
      const found = this.#storage.get(customResourceDefinitions, undefined, name);
      if (found === undefined) return;
      const definition = clone(found.object) as Definition;
      const status = nextStatus(definition, this.#others(name), this.#clock.now());
      if (status === undefined) return;
      definition.status = status;
      await this.#storage.update(customResourceDefinitions, definition, found.revision);
    } catch (error) {
      // A conflict needs no retry: the watch event of the concurrent change computes the status again.
      if (!(error instanceof StatusError))
        this.#log.error({ err: error, definition: name }, 'writing the status of the definition failed');
    }
  }

  #clean(name: string, definition: Definition): void {
    if (this.#cleanups.has(name)) return;
    const kind = this.#served.get(name)?.[0] ?? customKind(definition, anyVersion(definition));
    const cleanup = new Cleanup(this.#storage, this.#clock, this.#log, kind, name);
    this.#cleanups.set(name, cleanup);
    cleanup.start();
  }
}

function anyVersion({ spec }: Definition) {
  return spec.versions?.find(({ storage }) => storage) ?? { name: 'v1', served: false, storage: true };
}
