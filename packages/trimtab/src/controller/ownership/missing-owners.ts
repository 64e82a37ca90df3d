import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { workloadResources } from '@trimtab/kube/resource.ts';
import { isWorkloadKind, workloadKey } from '../../core/workload/workload-key.ts';
import type { ConfigMetadata } from '../cache/configs.ts';
import { workloadAt } from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';

interface Claim {
  config: ConfigMetadata;
  uid: string;
}

/**
 * Configs with an owner reference to a workload that may not exist. Kubernetes deletes such a config immediately, so
 * it is kept here until an Event tells its author why. Keyed by the workload.
 */
export class MissingOwners {
  readonly #claims = new Map<string, Claim>();

  /** Call when a config arrives or its owner references change. */
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
      // The cache may be stale, so the workload is read from the API server.
      const where = { namespace, name };
      const options = { projection: 'metadata' as const, signal };
      const live = await getIfExists(context.client, workloadResources[kind], where, options);
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
    const found =
      other === undefined
        ? `ownerReference names ${owner}, which does not exist`
        : `ownerReference names ${owner} with uid ${uid}, but ${owner} has uid ${other}`;
    const message = `${found}; Kubernetes will delete this ${kind}. Create the owner first and use its uid, or opt in with trimtab.dev/manage on the workload`;
    recordEvent(
      { apiVersion: 'v1', kind, namespace, name, uid: config.uid },
      'Warning',
      'OwnerNotFound',
      message,
    );
  }
}
