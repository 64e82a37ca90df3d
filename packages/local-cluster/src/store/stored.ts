/** An object as the store keeps it: JSON text, and its place in history in etcd's terms. */
export interface Stored {
  /** `/registry/configmaps/default/foo` */
  key: string;
  /** The whole object, its resourceVersion included. */
  value: string;
  /** Of its last change. */
  revision: number;
  /** Of its creation; the same through all its changes. */
  createRevision: number;
  /** 1 for one that was never changed. */
  version: number;
}

/** One change, in the order in which it happened. */
export interface StoreEvent {
  type: 'put' | 'delete';
  revision: number;
  /** What there is now; for a delete, what there was last, with the revision of the delete. */
  now: Stored;
  /** What there was before; undefined for a creation. Read when asked for: few listeners are interested. */
  before(): Stored | undefined;
}

/** The change was not made: the key is not in the state that the writer has seen. */
export class StoreConflict extends Error {
  override readonly name = 'StoreConflict';
  /** What is there instead; undefined when nothing is. */
  readonly found: Stored | undefined;

  constructor(found: Stored | undefined) {
    super(found === undefined ? 'the key does not exist' : `the key is at revision ${found.revision}`);
    this.found = found;
  }
}

/** History before `compacted` is forgotten, so a list or watch from there can't be answered. */
export class RevisionCompacted extends Error {
  override readonly name = 'RevisionCompacted';
  readonly compacted: number;

  constructor(asked: number, compacted: number) {
    super(`revision ${asked} was compacted, the oldest is ${compacted}`);
    this.compacted = compacted;
  }
}
