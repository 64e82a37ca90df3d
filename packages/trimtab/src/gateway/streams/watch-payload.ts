import type { Status, WatchEvent } from '@trimtab/kube/wire.ts';

/** What a DELETED event tells of an object. Its content is not kept for it: a gateway has thousands of watches. */
const identity = ['name', 'namespace', 'uid', 'resourceVersion', 'version'];

/** An object in watch events, serialized once for any number of streams. */
export class WatchPayload {
  readonly text: string;
  /** The line of the event when the object is deleted. */
  readonly deletedLine: string;
  readonly #lines = new Map<WatchEvent['type'], Buffer>();

  constructor(object: object) {
    this.text = JSON.stringify(object);
    this.deletedLine = lineOf('DELETED', JSON.stringify(identityOf(object)));
  }

  /** Memory that the text and the lines use at most. */
  get heldBytes(): number {
    return 2 * this.text.length + 2 * Buffer.byteLength(this.text);
  }

  /** One line of a Kubernetes watch response. */
  line(type: 'ADDED' | 'MODIFIED'): Buffer {
    const known = this.#lines.get(type);
    if (known !== undefined) return known;
    const line = Buffer.from(lineOf(type, this.text));
    this.#lines.set(type, line);
    return line;
  }
}

/** An ERROR event, which is the last one of a watch. */
export function errorLine(problem: Status): string {
  return lineOf('ERROR', JSON.stringify(problem));
}

/** A BOOKMARK event: the client has seen all changes up to this resourceVersion and may resume from it. */
export function bookmarkLine(kind: string, resourceVersion: string): string {
  return lineOf('BOOKMARK', JSON.stringify({ kind, apiVersion: 'v1', metadata: { resourceVersion } }));
}

function lineOf(type: WatchEvent['type'], object: string): string {
  return `{"type":"${type}","object":${object}}\n`;
}

function identityOf(object: { apiVersion?: string; kind?: string; metadata?: object }): object {
  const { apiVersion, kind, metadata = {} } = object;
  const known = Object.entries(metadata).filter(([field]) => identity.includes(field));
  return { apiVersion, kind, metadata: Object.fromEntries(known) };
}
