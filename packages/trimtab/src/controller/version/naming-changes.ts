import { labels } from '../../api/names.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import type { ConfigHead } from '../picture/configs.ts';
import { headOf } from '../picture/lookup.ts';
import type { Picture } from '../picture/picture.ts';
import type { Unsubscribe } from '../reconciler.ts';

interface Namer {
  namespace: string;
  references: readonly { kind: ConfigKind; name: string }[];
}

interface Watched<T> {
  subscribe(handler: (change: { before?: T; after?: T }) => void): Unsubscribe;
}

/** Tells of each version when something starts or stops to name it, and of nothing when a mere status changes. */
export function onNamingChange(picture: Picture, tell: (version: ConfigHead) => void): Unsubscribe[] {
  const follow = <T extends Namer>(watched: Watched<T>, identity: (namer: T) => unknown) =>
    watched.subscribe(({ before, after }) => {
      if (before && after && identity(before) === identity(after)) return;
      for (const namer of [before, after]) if (namer) tellAll(namer);
    });
  const tellAll = ({ namespace, references }: Namer) => {
    for (const { kind, name } of references) {
      const head = headOf(picture, namespace, kind, name);
      if (head !== undefined && isVersion(head)) tell(head);
    }
  };
  return [
    // What a pod names never changes; a StatefulSet's next pod has the name of the last one.
    follow(picture.pods, ({ uid }) => uid),
    ...Object.values(picture.revisions).map((each) =>
      follow(each, ({ uid, ownerUid, deleting, references }) =>
        JSON.stringify([uid, ownerUid, deleting, references]),
      ),
    ),
    ...Object.values(picture.workloads).map((each) =>
      follow(each, ({ references }) => JSON.stringify(references.map(({ kind, name }) => [kind, name]))),
    ),
  ];
}

export function isVersion(head: ConfigHead): boolean {
  return head.labels[labels.versionOf] !== undefined;
}
