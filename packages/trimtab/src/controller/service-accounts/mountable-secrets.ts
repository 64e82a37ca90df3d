import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { serviceAccounts } from '@trimtab/kube/resource.ts';
import { isForbidden } from '@trimtab/kube/transport/errors.ts';
import type { Reference } from '../../core/references/references.ts';
import {
  isLimited,
  isMountable,
  mountableSecrets,
  type ServiceAccount,
} from '../../core/workload/mountable-secrets.ts';

/** Time after which a ServiceAccount is read again: a removed limit is noticed then. */
export const rereadMs = 30_000;
/** Time after which a ServiceAccount that no workload asked for is forgotten. */
const forgetMs = 10 * rereadMs;

/** A workload that may use Secrets. */
export interface SecretUser {
  namespace: string;
  /** Name of the ServiceAccount of its pods. */
  serviceAccount: string;
  references: readonly Reference[];
}

interface Known {
  readAt: number;
  /** Undefined when the ServiceAccount does not limit the Secrets of its pods. */
  allowed: ReadonlySet<string> | undefined;
}

/**
 * Which Secrets the pods of a workload can use. Kubernetes refuses a pod that uses a Secret which its ServiceAccount does
 * not list, if the ServiceAccount has the annotation `kubernetes.io/enforce-mountable-secrets`; it never lists a version.
 * ServiceAccounts are read only for workloads that use Secrets.
 */
export class MountableSecrets {
  readonly #client: Pick<KubeClient, 'get'>;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();

  constructor(client: Pick<KubeClient, 'get'>, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Reads the ServiceAccounts of these workloads, unless they are known. */
  async learn(users: readonly SecretUser[], signal: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic();
    for (const [key, { readAt }] of this.#known) if (now - readAt >= forgetMs) this.#known.delete(key);
    const isKnown = (user: SecretUser) =>
      now - (this.#known.get(keyOf(user))?.readAt ?? -rereadMs) < rereadMs;
    const unknown = users.filter((user) => user.references.some(isLimited) && !isKnown(user));
    await Promise.all(
      [...new Map(unknown.map((user) => [keyOf(user), user]))].map(
        async ([key, { namespace, serviceAccount: name }]) => {
          this.#known.set(key, { readAt: now, allowed: await this.#read(namespace, name, signal) });
        },
      ),
    );
  }

  /** Whether the pods of a workload can use this object in these references. `learn` has to be called before. */
  allows(
    user: Pick<SecretUser, 'namespace' | 'serviceAccount'>,
    references: readonly Reference[],
    object: string,
  ): boolean {
    return isMountable(this.#known.get(keyOf(user))?.allowed, references, object);
  }

  /** Whether the ServiceAccount limits the Secrets of these pods. */
  limits(user: Pick<SecretUser, 'namespace' | 'serviceAccount'>): boolean {
    return this.#known.get(keyOf(user))?.allowed !== undefined;
  }

  async #read(
    namespace: string,
    name: string,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string> | undefined> {
    try {
      const found = await getIfExists<ServiceAccount>(
        this.#client,
        serviceAccounts,
        { namespace, name },
        { signal },
      );
      return mountableSecrets(found);
    } catch (error) {
      // Without the right to read it, a limit shows when the API server refuses the pods.
      if (isForbidden(error)) return undefined;
      throw error;
    }
  }
}

function keyOf({ namespace, serviceAccount }: Pick<SecretUser, 'namespace' | 'serviceAccount'>): string {
  return `${namespace}/${serviceAccount}`;
}
