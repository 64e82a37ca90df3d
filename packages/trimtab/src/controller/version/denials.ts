import { ApiError } from '@trimtab/kube/transport/errors.ts';

/** Writes for a config that the API server refuses: RBAC, a quota, an admission policy or validation. */
export class Denials {
  readonly #messages = new Map<string, string>();
  readonly #listeners = new Set<(rollout: string) => void>();

  /** Runs the writes for a config and remembers whether one of them was denied. */
  async during<T>(rollout: string, write: () => Promise<T>): Promise<T> {
    try {
      const result = await write();
      this.#set(rollout, undefined);
      return result;
    } catch (error) {
      if (isDenial(error)) this.#set(rollout, error.body.message ?? error.reason);
      throw error;
    }
  }

  /** Forgets a denial: it concerned content that the config no longer has. */
  forget(rollout: string): void {
    this.#set(rollout, undefined);
  }

  /** The message of the API server; undefined when the last write was not denied. */
  of(rollout: string): string | undefined {
    return this.#messages.get(rollout);
  }

  /** Calls `listener` with the key of a rollout when a denial begins, changes or ends. */
  subscribe(listener: (rollout: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #set(rollout: string, message: string | undefined): void {
    if (this.#messages.get(rollout) === message) return;
    if (message === undefined) this.#messages.delete(rollout);
    else this.#messages.set(rollout, message);
    for (const listener of this.#listeners) listener(rollout);
  }
}

/** The API server refuses the write until a user changes something. */
export function isDenial(error: unknown): error is ApiError {
  return error instanceof ApiError && [400, 403, 413, 422].includes(error.status);
}
