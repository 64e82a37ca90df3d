/** A stored object: its JSON text, and its revisions in etcd's terms. */
export interface Stored {
  /** For example `/registry/configmaps/default/foo`. */
  key: string;
  /** The complete object as JSON, including its resourceVersion. */
  value: string;
  /** Revision of the last change; etcd's mod_revision. */
  revision: number;
  /** Revision of the creation. It does not change afterwards. */
  createRevision: number;
  /** Number of changes since the creation, which counts as 1. */
  version: number;
}

/** One change of one key. */
export interface StoreEvent {
  type: 'put' | 'delete';
  revision: number;
  /** The object after the change. For a delete, the last object with the revision of the delete. */
  now: Stored;
  /** The object before the change; undefined for a creation. Read lazily, because few listeners need it. */
  before(): Stored | undefined;
}

/** The change was rejected: the key is not at the revision that the writer expected. */
export class StoreConflict extends Error {
  override readonly name = 'StoreConflict';
  /** The stored object; undefined when the key does not exist. */
  readonly found: Stored | undefined;

  constructor(found: Stored | undefined) {
    super(found === undefined ? 'the key does not exist' : `the key is at revision ${found.revision}`);
    this.found = found;
  }
}

/** A list or watch requested a revision before `compacted`, whose history has been removed. */
export class RevisionCompacted extends Error {
  override readonly name = 'RevisionCompacted';
  readonly compacted: number;

  constructor(asked: number, compacted: number) {
    super(`revision ${asked} has been compacted; the oldest available revision is ${compacted}`);
    this.compacted = compacted;
  }
}
