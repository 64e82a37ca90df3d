import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { StatusError } from '../errors/status-error.ts';
import type { Kind } from '../kinds/kind.ts';
import { customResourceDefinitions } from '../kinds/policy/custom-resource-definition.ts';
import { type ApiObject, clone } from '../object.ts';
import type { ObjectStorage } from '../storage/object-storage.ts';
import { markForDeletion } from '../verbs/delete.ts';
import { cleanupFinalizer } from './definition.ts';

const background = {
  dryRun: false,
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
  preconditions: {},
};
/** Delay before retrying after a conflict, when no delete event triggers a retry earlier. */
const retryMs = 1_000;

/** Deletes all objects of a terminating definition, waits for their finalizers, then removes the definition's own. */
export class Cleanup {
  readonly #storage: ObjectStorage;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #kind: Kind;
  readonly #name: string;
  #stop: () => void = () => {};
  #cancelRetry: () => void = () => {};
  #isClosed = false;
  #isRunning = false;
  #again = false;

  constructor(storage: ObjectStorage, clock: Clock, log: Logger, kind: Kind, name: string) {
    this.#storage = storage;
    this.#clock = clock;
    this.#log = log;
    this.#kind = kind;
    this.#name = name;
  }

  start(): void {
    const { store } = this.#storage;
    this.#stop = store.watch(store.revision, ({ type, now }) => {
      if (type === 'delete' && now.key.startsWith(this.#kind.storagePrefix)) void this.#run();
    });
    void this.#run();
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
    this.#cancelRetry();
  }

  async #run(): Promise<void> {
    this.#again = true;
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      while (this.#again && !this.#isClosed) {
        this.#again = false;
        await this.#pass();
      }
    } catch (error) {
      if (!(error instanceof StatusError))
        this.#log.error(
          { err: error, definition: this.#name },
          'cleanup of custom resources failed; retrying',
        );
      if (!this.#isClosed) this.#cancelRetry = this.#clock.after(retryMs, () => void this.#run());
    } finally {
      this.#isRunning = false;
    }
  }

  async #pass(): Promise<void> {
    const objects = this.#storage.all(this.#kind);
    for (const object of objects) await this.#remove(object);
    if (this.#storage.all(this.#kind).length === 0) await this.#release();
  }

  async #remove(object: ApiObject): Promise<void> {
    const revision = Number(object.metadata.resourceVersion);
    const next = clone(object);
    const step = markForDeletion(this.#kind, next, background, this.#clock.now());
    if (step === 'remove') await this.#storage.remove(this.#kind, next, revision);
    else if (step === 'mark') await this.#storage.update(this.#kind, next, revision);
  }

  async #release(): Promise<void> {
    const found = this.#storage.get(customResourceDefinitions, undefined, this.#name);
    if (found === undefined) return;
    const { object, revision } = found;
    const finalizers = (object.metadata.finalizers ?? []).filter((each) => each !== cleanupFinalizer);
    if (finalizers.length === 0) await this.#storage.remove(customResourceDefinitions, object, revision);
    else if (finalizers.length !== object.metadata.finalizers?.length)
      await this.#storage.update(
        customResourceDefinitions,
        { ...object, metadata: { ...object.metadata, finalizers } },
        revision,
      );
  }
}
