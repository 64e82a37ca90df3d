import type { Store } from '../../store/store.ts';
import { StoreConflict, type Stored } from '../../store/stored.ts';
import { alreadyExists, conflict, notFound } from '../errors/status-error.ts';
import type { Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../object.ts';
import { keyOf, prefixOf } from './keys.ts';
import { parseObject, shownText, textOf } from './object-text.ts';

export interface Found {
  object: ApiObject;
  /** JSON of the object. */
  text: string;
  revision: number;
}

export const modifiedMessage =
  'the object has been modified; please apply your changes to the latest version and try again';

/** Reads and writes objects in the store, and converts conflicts of the store to StatusErrors. */
export class ObjectStorage {
  readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }

  text(kind: Kind, namespace: string | undefined, name: string): Stored | undefined {
    const stored = this.store.get(keyOf(kind, namespace, name));
    if (stored === undefined || kind.custom === undefined) return stored;
    return { ...stored, value: shownText(kind, stored.value) };
  }

  get(kind: Kind, namespace: string | undefined, name: string): Found | undefined {
    const stored = this.text(kind, namespace, name);
    return stored && { object: parseObject(stored.value), text: stored.value, revision: stored.revision };
  }

  /** Throws NotFound. */
  need(kind: Kind, namespace: string | undefined, name: string): Found {
    const found = this.get(kind, namespace, name);
    if (found === undefined) throw notFound(kind, name);
    return found;
  }

  all(kind: Kind, namespace?: string): ApiObject[] {
    return this.store
      .list(prefixOf(kind, namespace))
      .items.map(({ value }) => parseObject(shownText(kind, value)));
  }

  async create(kind: Kind, object: ApiObject): Promise<Found> {
    const { name = '' } = object.metadata;
    return this.#write(kind, object, 'put', 'absent', () => alreadyExists(kind, name));
  }

  async update(kind: Kind, object: ApiObject, revision: number): Promise<Found> {
    const { name = '' } = object.metadata;
    return this.#write(kind, object, 'put', revision, (found) =>
      found === undefined ? notFound(kind, name) : conflict(kind, name, modifiedMessage),
    );
  }

  async remove(kind: Kind, object: ApiObject, revision: number): Promise<Found> {
    const { name = '' } = object.metadata;
    return this.#write(kind, object, 'delete', revision, (found) =>
      found === undefined ? notFound(kind, name) : conflict(kind, name, modifiedMessage),
    );
  }

  async #write(
    kind: Kind,
    object: ApiObject,
    type: 'put' | 'delete',
    expect: number | 'absent',
    refusal: (found: Stored | undefined) => Error,
  ): Promise<Found> {
    const { namespace, name = '' } = object.metadata;
    const written = { ...object, apiVersion: kind.custom?.storedAs ?? object.apiVersion };
    try {
      const stored = await this.store.write({
        type,
        key: keyOf(kind, namespace, name),
        expect,
        render(revision) {
          written.metadata = { ...object.metadata, resourceVersion: String(revision) };
          return textOf(written);
        },
      });
      if (kind.custom === undefined)
        return { object: written, text: stored.value, revision: stored.revision };
      const text = shownText(kind, stored.value);
      return { object: parseObject(text), text, revision: stored.revision };
    } catch (error) {
      throw error instanceof StoreConflict ? refusal(error.found) : error;
    }
  }
}
