import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import { type Ledger, ledgerOf, markMade } from '../../core/version/ledger.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import { rolloutWithUid, versionsOf } from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';
import type { Reconciler, Unsubscribe } from '../reconciler.ts';
import { writeLedger } from './write-ledger.ts';

type Context = Pick<ControllerContext, 'client' | 'cluster'>;

/**
 * Marks a reserved version as made in the ledger, once the version exists. From then on its name is not used again,
 * even if the version is deleted. No other reconciler waits for this write. Keys are rollouts.
 */
export class LedgerReconciler implements Reconciler {
  readonly name = 'ledger';
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  listen(enqueue: (key: string) => void): Unsubscribe[] {
    const { cluster } = this.#context;
    return [
      cluster.rollouts.subscribe(({ key, before, after }) => {
        if (after !== undefined && ledgerText(after) !== ledgerText(before)) enqueue(key);
      }),
      ...Object.values(cluster.configs).flatMap(
        (each) =>
          each?.subscribe(({ before, after }) => {
            const uid = before === undefined ? after?.labels[labels.versionOf] : undefined;
            const rollout = uid === undefined ? undefined : rolloutWithUid(cluster, uid);
            if (rollout !== undefined) enqueue(`${rollout.metadata.namespace}/${rollout.metadata.name}`);
          }) ?? [],
      ),
    ];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<undefined> {
    const { client, cluster } = this.#context;
    const rollout = cluster.rollouts.cache.get(key);
    if (rollout === undefined || rollout.metadata.deletionTimestamp !== undefined) return;
    const ledger = madeLedger(rollout, versionsOf(cluster, rollout));
    if (ledger !== undefined) await writeLedger(client, rollout, ledger, { signal, lowPriority: true });
  }
}

function ledgerText(rollout: ConfigRollout | undefined): string | undefined {
  return rollout?.metadata.annotations?.[annotations.ledger];
}

/** Returns undefined when nothing must be written, or when the ledger is damaged: the next version repairs it. */
function madeLedger(rollout: ConfigRollout, versions: readonly VersionMetadata[]): Ledger | undefined {
  const { ledger, damaged } = ledgerOf(rollout, versions);
  const { last } = ledger;
  if (damaged || last === undefined || last.made) return undefined;
  const isThere = versions.some(
    ({ name, contentHash }) => name === last.name && contentHash === last.contentHash,
  );
  return isThere ? markMade(ledger) : undefined;
}
