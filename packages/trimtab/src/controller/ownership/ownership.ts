import type { ConfigKind } from '../../core/references/references.ts';
import type { ControllerContext } from '../context.ts';
import type { ConfigHead } from '../picture/configs.ts';
import { referenceKey } from '../picture/picture.ts';
import type { Reconciler, Unsubscribe } from '../reconciler.ts';
import { isVersion, onNamingChange } from '../version/naming-changes.ts';
import { changeMetadata, isOvertaken } from '../version/version-metadata.ts';
import { versionUsers } from '../version/version-users.ts';
import { planOwnership } from './ownership-plan.ts';

type Context = Pick<ControllerContext, 'client' | 'picture'>;

/**
 * Sees to it that each version is owned by the ReplicaSets and ControllerRevisions that name it, and labelled
 * while anything does. A key is a version: `namespace/ConfigMap/name`. Start its queue once the picture is in
 * sync: a pod that is not known yet would cost its version the label.
 */
export class Ownership implements Reconciler {
  readonly name = 'ownership';
  readonly lateByMs = 50;
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  listen(enqueue: (key: string) => void): Unsubscribe[] {
    const { picture } = this.#context;
    const look = (head: ConfigHead) => enqueue(referenceKey(head.namespace, head.kind, head.name));
    const onHead = ({ after }: { after?: ConfigHead }) => {
      if (after !== undefined && isVersion(after)) look(after);
    };
    return [
      ...onNamingChange(picture, look),
      ...Object.values(picture.heads).flatMap((each) => each?.subscribe(onHead) ?? []),
    ];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<undefined> {
    const { client, picture } = this.#context;
    const seen = this.#see(key);
    if (seen === undefined) return;
    const change = planOwnership(seen.head, versionUsers(picture, seen.head));
    if (change !== undefined) await changeMetadata(client, seen, change, signal);
  }

  #see(key: string): { head: ConfigHead; resourceVersion: string } | undefined {
    const [namespace, kind, name] = key.split('/');
    const cache = this.#context.picture.heads[kind as ConfigKind]?.cache;
    const head = cache?.get(`${namespace}/${name}`);
    const resourceVersion = cache?.versionOf(`${namespace}/${name}`);
    if (head === undefined || resourceVersion === undefined) return undefined;
    return isVersion(head) && !head.deleting && !isOvertaken(head) ? { head, resourceVersion } : undefined;
  }
}
