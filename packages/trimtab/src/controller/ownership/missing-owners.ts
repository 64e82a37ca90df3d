import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import { workloadKey } from '../../core/workload/workload-key.ts';
import { workloadResources } from '../cache/cluster-cache.ts';
import type { ConfigMetadata } from '../cache/configs.ts';
import { isWorkloadKind, workloadAt } from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';

interface Claim {
  config: ConfigMetadata;
  uid: string;
}

/**
 * Configs that say they are owned by a workload which may not exist. Kubernetes deletes such a config at once, so it
 * is kept here until its author was told why. By the key of the workload.
 */
export class MissingOwners {
  readonly #claims = new Map<string, Claim>();

  /** A config has come, or has other owners than before. */
  note(config: ConfigMetadata, before: ConfigMetadata | undefined): void {
    const known = new Set(before?.ownerReferences.map(({ uid }) => uid));
    for (const { kind, name, uid } of config.ownerReferences)
      if (isWorkloadKind(kind) && !known.has(uid))
        this.#claims.set(`${config.namespace}/${workloadKey(kind, name)}`, { config, uid });
  }

  async warnAuthor(context: ControllerContext, key: string, signal: AbortSignal): Promise<void> {
    const claim = this.#claims.get(key);
    if (claim === undefined) return;
    const [namespace = '', kind = '', name = ''] = key.split('/');
    if (!isWorkloadKind(kind)) return;
    if (workloadAt(context.cluster, namespace, workloadKey(kind, name))?.uid !== claim.uid) {
      // The cache may be behind: only the server knows.
      const live = await context.client
        .get(workloadResources[kind], { namespace, name }, { projection: 'metadata', signal })
        .catch((error: unknown) => {
          if (isNotFound(error)) return undefined;
          throw error;
        });
      if (live?.metadata.uid !== claim.uid) this.#warn(context, claim, `${kind} ${name}`, live?.metadata.uid);
    }
    if (this.#claims.get(key) === claim) this.#claims.delete(key);
  }

  #warn(
    { recordEvent }: ControllerContext,
    { config, uid }: Claim,
    owner: string,
    other: string | undefined,
  ): void {
    const { kind, namespace, name } = config;
    const found = other === undefined ? 'there is none' : `it has the uid ${other}`;
    const message = `its owner reference names ${owner} with the uid ${uid}, but ${found}: Kubernetes deletes what has no owner left. Create the owner first and name its uid, or opt in by trimtab.dev/manage on the workload`;
    recordEvent(
      { apiVersion: 'v1', kind, namespace, name, uid: config.uid },
      'Warning',
      'OwnerNotFound',
      message,
    );
  }
}
