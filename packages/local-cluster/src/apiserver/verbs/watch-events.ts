import type { Stored, StoreEvent } from '../../store/stored.ts';
import { jsonText } from '../json.ts';
import { apiVersionOf, type Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../object.ts';
import { partialMetadata } from '../representation/partial-metadata.ts';
import type { RenderOptions } from '../representation/render.ts';
import { table } from '../representation/table.ts';
import { parseObject, shownText, textOf } from '../storage/object-text.ts';
import type { Selection } from './selection.ts';

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

export interface SeenEvent {
  type: EventType;
  /** JSON of the object. */
  text: string;
}

/** Cache of parsed objects: a thousand watches of one change parse it once. */
const parsed = new WeakMap<Stored, ApiObject>();

function objectOf(stored: Stored): ApiObject {
  let object = parsed.get(stored);
  if (object === undefined) {
    object = parseObject(stored.value);
    parsed.set(stored, object);
  }
  return object;
}

/** Converts a change to the event of a watch with a selection, which objects can enter and leave. */
export function seen(event: StoreEvent, selection: Selection): SeenEvent | undefined {
  const { now, type } = event;
  if (selection.isEverything) {
    if (type === 'delete') return { type: 'DELETED', text: now.value };
    return { type: now.version === 1 ? 'ADDED' : 'MODIFIED', text: now.value };
  }
  const previous = now.version === 1 ? undefined : event.before();
  const wasSeen = previous !== undefined && selection.matches(objectOf(previous));
  if (type === 'delete') return wasSeen ? { type: 'DELETED', text: now.value } : undefined;
  const isSeen = selection.matches(objectOf(now));
  if (isSeen) return { type: wasSeen ? 'MODIFIED' : 'ADDED', text: now.value };
  if (!wasSeen) return undefined;
  const left = objectOf(previous);
  const last = { ...left, metadata: { ...left.metadata, resourceVersion: String(now.revision) } };
  return { type: 'DELETED', text: textOf(last) };
}

/** Renders the events of one watch in the requested representation. */
export class EventRenderer {
  readonly #kind: Kind;
  readonly #options: RenderOptions;
  #hasColumns = false;

  constructor(kind: Kind, options: RenderOptions) {
    this.#kind = kind;
    this.#options = options;
  }

  change({ type, text: stored }: SeenEvent, now: number): string {
    const text = shownText(this.#kind, stored);
    return this.#options.as.shape === 'object'
      ? line(type, text)
      : line(type, this.#shaped(parseObject(text), now));
  }

  bookmark(revision: number, annotations: Record<string, string> | undefined, now: number): string {
    const metadata = { resourceVersion: String(revision), ...(annotations !== undefined && { annotations }) };
    const object = { kind: this.#kind.kind, apiVersion: apiVersionOf(this.#kind), metadata };
    const text = this.#options.as.shape === 'object' ? JSON.stringify(object) : this.#shaped(object, now);
    return line('BOOKMARK', text);
  }

  error(status: object): string {
    return line('ERROR', JSON.stringify(status));
  }

  #shaped(object: ApiObject, now: number): string {
    if (this.#options.as.shape === 'metadata') return jsonText(partialMetadata(object, this.#options.as));
    const withColumns = !this.#hasColumns;
    this.#hasColumns = true;
    const metadata = { resourceVersion: object.metadata.resourceVersion };
    return jsonText(table(this.#kind, [object], metadata, { ...this.#options, now, withColumns }));
  }
}

function line(type: string, object: string): string {
  return `{"type":"${type}","object":${object}}\n`;
}
