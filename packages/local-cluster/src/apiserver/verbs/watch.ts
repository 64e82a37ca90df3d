import { RevisionCompacted, type StoreEvent } from '../../store/stored.ts';
import { badRequest, expired } from '../errors/status-error.ts';
import { type ListOptions, listOptions } from '../request/options.ts';
import { prefixOf } from '../storage/keys.ts';
import { parseObject } from '../storage/object-text.ts';
import { parseVersion } from './resource-version.ts';
import { type Selection, selectionOf } from './selection.ts';
import type { Answer, VerbRequest } from './verb-request.ts';
import { WatchBuffer } from './watch-buffer.ts';
import { EventRenderer, seen } from './watch-events.ts';

const bookmarkEveryMs = 60_000;
/** A last bookmark is sent this long before the end, so the client can resume from it. */
const bookmarkBeforeEndMs = 2_000;
const defaultTimeoutMs = 30 * 60_000;

export function watch(request: VerbRequest): Answer {
  const options = listOptions(request.query, true);
  const selection = selectionOf(request.kind, named(options, request.info.name));
  const version = parseVersion(options.resourceVersion, 'watch');
  new Watch(request, options, selection).start(version);
  return 'answered';
}

/** The deprecated path of watches can name one object. */
function named(options: ListOptions, name: string | undefined): ListOptions {
  if (name === undefined) return options;
  const wanted = `metadata.name=${name.replace(/[\\,=]/g, '\\$&')}`;
  const { fieldSelector } = options;
  if (fieldSelector !== '' && !fieldSelector.split(',').every((each) => each.replace('==', '=') === wanted))
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  return { ...options, fieldSelector: wanted };
}

/** An open watch: sends the current objects if requested, then all changes until either side ends it. */
class Watch {
  readonly #request: VerbRequest;
  readonly #options: ListOptions;
  readonly #selection: Selection;
  readonly #prefix: string;
  readonly #renderer: EventRenderer;
  readonly #buffer: WatchBuffer;
  readonly #cancels: (() => void)[] = [];
  #cancelBookmark: (() => void) | undefined;

  constructor(request: VerbRequest, options: ListOptions, selection: Selection) {
    this.#request = request;
    this.#options = options;
    this.#selection = selection;
    this.#prefix = prefixOf(request.kind, request.info.namespace);
    this.#renderer = new EventRenderer(request.kind, request.render);
    this.#buffer = new WatchBuffer(request.response, request.services.watchMemory);
  }

  start(version: number | undefined): void {
    const { response, services } = this.#request;
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
    response.flushHeaders();
    response.once('close', () => this.#stop());
    try {
      const after = this.#wantsInitial(version)
        ? this.#sendInitial()
        : (version ?? services.storage.store.revision);
      this.#follow(after);
    } catch (error) {
      if (!(error instanceof RevisionCompacted)) throw error;
      const message = `too old resource version: ${version} (${error.compacted})`;
      this.#buffer.send(this.#renderer.error(expired(message).status));
      this.#buffer.end();
      return;
    }
    const { watches, registry } = services;
    const end = () => this.#end();
    // A watch ends when its definition changes, as its events would follow the old schema.
    if (this.#request.kind.custom !== undefined)
      this.#cancels.push(registry.onChange(() => registry.isCurrent(this.#request.kind) || end()));
    watches.add(end);
    this.#cancels.push(() => void watches.delete(end));
    this.#setTimers();
  }

  /** Without a version, or with 0, the watch starts with the current objects; otherwise with changes after it. */
  #wantsInitial(version: number | undefined): boolean {
    return this.#options.sendInitialEvents ?? (version === undefined || version === 0);
  }

  #sendInitial(): number {
    const { services } = this.#request;
    const now = services.clock.now();
    const { items, revision } = services.storage.store.list(this.#prefix);
    const wanted = this.#selection.isEverything
      ? items
      : items.filter(({ value }) => this.#selection.matches(parseObject(value)));
    const lines = wanted.map(({ value }) => this.#renderer.change({ type: 'ADDED', text: value }, now));
    if (this.#options.sendInitialEvents && this.#options.allowWatchBookmarks)
      lines.push(this.#renderer.bookmark(revision, { 'k8s.io/initial-events-end': 'true' }, now));
    this.#buffer.sendInitial(lines);
    return revision;
  }

  #follow(after: number): void {
    const { store } = this.#request.services.storage;
    const listener = (event: StoreEvent) => {
      if (event.revision <= after || !event.now.key.startsWith(this.#prefix)) return;
      const change = seen(event, this.#selection);
      if (change !== undefined)
        this.#buffer.send(this.#renderer.change(change, this.#request.services.clock.now()));
    };
    // A version from the future has nothing to replay.
    this.#cancels.push(store.watch(Math.min(after, store.revision), listener));
  }

  #setTimers(): void {
    const { clock } = this.#request.services;
    const { timeoutSeconds } = this.#options;
    const timeoutMs = timeoutSeconds ? timeoutSeconds * 1000 : defaultTimeoutMs * (1 + Math.random());
    this.#cancels.push(clock.after(Math.min(timeoutMs, 2 ** 31 - 1), () => this.#end()));
    if (!this.#options.allowWatchBookmarks) return;
    const endsAt = clock.monotonic() + timeoutMs;
    const plan = () => {
      const untilLast = endsAt - bookmarkBeforeEndMs - clock.monotonic();
      if (untilLast <= 0) return;
      this.#cancelBookmark = clock.after(Math.min(bookmarkEveryMs, untilLast), () => {
        const { storage } = this.#request.services;
        this.#buffer.send(this.#renderer.bookmark(storage.store.announced, undefined, clock.now()));
        plan();
      });
    };
    plan();
  }

  #end(): void {
    this.#stop();
    this.#buffer.end();
  }

  #stop(): void {
    this.#cancelBookmark?.();
    for (const cancel of this.#cancels.splice(0)) cancel();
  }
}
