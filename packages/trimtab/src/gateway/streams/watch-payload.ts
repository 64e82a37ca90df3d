import type { WatchEvent } from '@trimtab/kube/wire.ts';

/** An object in watch events, serialized once for any number of streams. */
export class WatchPayload {
  readonly text: string;
  readonly #lines = new Map<WatchEvent['type'], Buffer>();

  constructor(object: unknown) {
    this.text = JSON.stringify(object);
  }

  /** One line of a Kubernetes watch response. */
  line(type: WatchEvent['type']): Buffer {
    const known = this.#lines.get(type);
    if (known !== undefined) return known;
    const line = Buffer.from(`{"type":"${type}","object":${this.text}}\n`);
    this.#lines.set(type, line);
    return line;
  }
}

/** A BOOKMARK event: the client has seen all changes up to this resourceVersion and may resume from it. */
export function bookmarkLine(kind: string, resourceVersion: string): string {
  const object = { kind, apiVersion: 'v1', metadata: { resourceVersion } };
  return `${JSON.stringify({ type: 'BOOKMARK', object })}\n`;
}
