import { randomBytes } from 'node:crypto';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { describeWriteError } from '../files/file-errors.ts';
import { RequestError } from './request-error.ts';
import { checkSubscription, type HookTarget, type Subscription } from './subscription.ts';
import { readIfPossible, writeAtomically } from './write-atomically.ts';

export interface SubscriptionsOptions {
  /** The private folder; the subscriptions are kept there over restarts of the agent. */
  folder: string;
  target: HookTarget;
  log: Logger;
}

const fileName = 'hooks.json';
const maxSubscriptions = 32;

/** The hooks of the pod. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  #all: readonly Subscription[];

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
    this.#all = this.#read();
  }

  list(): readonly Subscription[] {
    return this.#all;
  }

  /** The same URL keeps its id; its container and its authorities are replaced. Throws a RequestError. */
  subscribe(wanted: Omit<Subscription, 'id'>): { subscription: Subscription; isNew: boolean } {
    const known = this.#all.find(({ url }) => url === wanted.url);
    const subscription = { id: known?.id ?? randomBytes(8).toString('hex'), ...wanted };
    if (known === undefined && this.#all.length >= maxSubscriptions)
      throw new RequestError(
        409,
        `This pod has ${maxSubscriptions} hooks, which is the maximum. Remove one with DELETE /config/hooks/{id}`,
      );
    this.#write(
      known === undefined
        ? [...this.#all, subscription]
        : this.#all.map((each) => (each === known ? subscription : each)),
    );
    return { subscription, isNew: known === undefined };
  }

  /** Throws a RequestError when there is no such hook. */
  unsubscribe(id: string): void {
    const left = this.#all.filter((each) => each.id !== id);
    if (left.length === this.#all.length)
      throw new RequestError(404, 'There is no hook with this id. GET /config/hooks lists the hooks');
    this.#write(left);
  }

  #write(all: readonly Subscription[]): void {
    const { folder, log } = this.#options;
    try {
      writeAtomically({ folder, name: fileName, text: JSON.stringify(all), mode: 0o600 });
    } catch (err) {
      const problem = describeWriteError(err, folder);
      log.error({ reason: problem }, 'hooks could not be stored');
      throw new RequestError(500, `The hook could not be stored: the agent ${problem}`);
    }
    this.#all = all;
  }

  /** Hooks that are damaged, or no longer lead to this pod, are dropped: containers subscribe again when they start. */
  #read(): Subscription[] {
    const { folder, log } = this.#options;
    const text = readIfPossible(folder, fileName);
    if (text === undefined) return [];
    const stored = parseList(text);
    const kept = stored.flatMap((each) => this.#checked(each)).slice(0, maxSubscriptions);
    if (stored.length === 0 ? text !== '[]' : kept.length < stored.length)
      log.warn({ file: fileName, kept: kept.length }, 'stored hooks are not valid and were dropped');
    return kept;
  }

  #checked(stored: unknown): Subscription[] {
    const { id, ...rest } = (typeof stored === 'object' && stored !== null ? stored : {}) as { id?: unknown };
    if (typeof id !== 'string' || !/^[0-9a-f]{16}$/.test(id)) return [];
    try {
      return [{ id, ...checkSubscription(rest, this.#options.target) }];
    } catch {
      return [];
    }
  }
}

function parseList(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
