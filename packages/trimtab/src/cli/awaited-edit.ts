import type { KubeClient } from '@trimtab/kube/client.ts';
import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigRollout } from '../api/config-rollout.ts';
import { editOutcome, type Goal, type Outcome } from '../core/activation/outcome.ts';
import type { ConfigAddress } from '../core/references/config-address.ts';
import { noConfig } from '../versions/not-found.ts';

/**
 * The edit of a config that a caller waits for. It is the state of the config when the wait began. The controller may
 * process a later state instead, so later states count as well; they are read until the controller has processed one.
 */
export class AwaitedEdit {
  readonly #client: KubeClient;
  readonly #address: ConfigAddress;
  readonly #goal: Goal;
  readonly #seen = new Set<string>();
  #reading: Promise<void> | undefined;

  private constructor(client: KubeClient, address: ConfigAddress, goal: Goal) {
    this.#client = client;
    this.#address = address;
    this.#goal = goal;
  }

  /** Throws a 404 when the config does not exist. */
  static async read(client: KubeClient, address: ConfigAddress, goal: Goal): Promise<AwaitedEdit> {
    const edit = new AwaitedEdit(client, address, goal);
    if (!(await edit.#readLive())) throw noConfig(address, 'create-config');
    return edit;
  }

  /** Call it again after a change, and about every second. */
  outcome(rollout: ConfigRollout | undefined): Outcome {
    const observed = rollout?.status?.observed?.liveResourceVersion;
    if (observed !== undefined && !this.#seen.has(observed)) this.#readSoon();
    return editOutcome(rollout, this.#seen, this.#goal);
  }

  #readSoon(): void {
    this.#reading ??= this.#readLive()
      .then(
        () => {},
        // A failed read is repeated with the next call.
        () => {},
      )
      .finally(() => {
        this.#reading = undefined;
      });
  }

  async #readLive(): Promise<boolean> {
    const { kind, namespace, name } = this.#address;
    const options = { projection: 'metadata' as const };
    const live = await getIfExists<KubeObject>(
      this.#client,
      configResources[kind],
      { namespace, name },
      options,
    );
    if (live?.metadata.resourceVersion !== undefined) this.#seen.add(live.metadata.resourceVersion);
    return live !== undefined;
  }
}
