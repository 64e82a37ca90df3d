import { labels } from '../../api/names.ts';
import type { ConfigKind } from '../../core/references.ts';
import type { ConfigHead } from '../picture/configs.ts';
import { headOf } from '../picture/lookup.ts';
import type { Picture } from '../picture/picture.ts';

interface Namer {
  namespace: string;
  references: readonly { kind: ConfigKind; name: string }[];
}

interface Watched<T> {
  subscribe(handler: (change: { before?: T; after?: T }) => void): unknown;
}

/** Tells of each version when something starts or stops to name it, and of nothing when a mere status changes. */
export function onNamingChange(picture: Picture, tell: (version: ConfigHead) => void): void {
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
  // What a pod names never changes; a StatefulSet's next pod has the name of the last one.
  follow(picture.pods, ({ uid }) => uid);
  for (const each of Object.values(picture.revisions))
    follow(each, ({ uid, ownerUid, deleting, references }) =>
      JSON.stringify([uid, ownerUid, deleting, references]),
    );
  for (const each of Object.values(picture.workloads))
    follow(each, ({ references }) => JSON.stringify(references.map(({ kind, name }) => [kind, name])));
}

export function isVersion(head: ConfigHead): boolean {
  return head.labels[labels.versionOf] !== undefined;
}
