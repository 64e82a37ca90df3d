import { createHmac } from 'node:crypto';
import type { Form } from './accepted-form.ts';
import { type Collision, type Dictionary, dictionaryOf, type EndpointConfig, toJson } from './dictionary.ts';
import { toText } from './text-form.ts';

/** One form of the content, as it is sent. */
export interface Representation {
  contentType: string;
  body: Buffer;
  /** A strong ETag, with its quotes. */
  etag: string;
}

const forms = {
  json: { contentType: 'application/json', render: toJson },
  text: { contentType: 'text/plain; charset=utf-8', render: toText },
} as const satisfies Record<Form, { contentType: string; render: (from: Dictionary) => string }>;

/** An accepted set of configs. A form is rendered for its first request: many pods never send one. */
export class Content {
  readonly #dictionary: Dictionary;
  readonly #etagKey: Buffer;
  readonly #rendered = new Map<Form, Representation>();

  constructor(configs: readonly EndpointConfig[], etagKey: Buffer) {
    this.#dictionary = dictionaryOf(configs);
    this.#etagKey = etagKey;
  }

  as(form: Form): Representation {
    const known = this.#rendered.get(form);
    if (known !== undefined) return known;
    const { contentType, render } = forms[form];
    const body = Buffer.from(render(this.#dictionary));
    const rendered = { contentType, body, etag: etagOf(form, body, this.#etagKey) };
    this.#rendered.set(form, rendered);
    return rendered;
  }

  get collisions(): readonly Collision[] {
    return this.#dictionary.collisions;
  }
}

/** Proxies and clients log ETags. A plain hash would let their readers guess a short Secret; this one needs the key. */
function etagOf(form: Form, body: Buffer, key: Buffer): string {
  const hash = createHmac('sha256', key).update(`${form}\n`).update(body).digest('base64url');
  return `"${hash.slice(0, 32)}"`;
}

/** Derives the key of the ETags from the private key, so that ETags stay the same over restarts of the agent. */
export function etagKeyOf(privateKey: string): Buffer {
  return createHmac('sha256', privateKey).update('trimtab etag').digest();
}

/** Evaluates If-None-Match. A proxy may have made an ETag weak, which is enough for a GET (RFC 9110). */
export function matches(ifNoneMatch: string, etag: string): boolean {
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}
