import type { WatchEvent } from '@trimtab/kube/wire.ts';

/** An object as a stream sends it: written as text once, however many streams send it. */
export class WatchPayload {
  readonly text: string;
  readonly #lines = new Map<WatchEvent['type'], Buffer>();

  constructor(object: unknown) {
    this.text = JSON.stringify(object);
  }

  /** One line of a Kubernetes watch. */
  line(type: WatchEvent['type']): Buffer {
    const known = this.#lines.get(type);
    if (known !== undefined) return known;
    const line = Buffer.from(`{"type":"${type}","object":${this.text}}\n`);
    this.#lines.set(type, line);
    return line;
  }
}

/** A line that tells how far a client has seen everything: it may resume from there. */
export function bookmarkLine(kind: string, resourceVersion: string): string {
  const object = { kind, apiVersion: 'v1', metadata: { resourceVersion } };
  return `${JSON.stringify({ type: 'BOOKMARK', object })}\n`;
}
