import type { ServerResponse } from 'node:http';
import type { Clock } from '@trimtab/kube/clock.ts';
import { isComparable } from '@trimtab/kube/watch/resource-version.ts';
import type { Status } from '@trimtab/kube/wire.ts';
import { Refusal } from '../../versions/refusal.ts';
import { fromUpstream } from '../answer/status-error.ts';
import { smallWriteBytes, type UnsentAccount } from '../limits/unsent-budget.ts';
import { failureCode } from '../upstream/failed-calls.ts';
import { catchUp, isAhead } from './catch-up.ts';
import type { Listener } from './hub.ts';
import type { AppliedVersion, VersionSource } from './version-source.ts';
import { bookmarkLine, errorLine, type WatchPayload } from './watch-payload.ts';

export interface StreamOptions {
  response: ServerResponse;
  /** Memory for what the reader has not taken yet. */
  unsent: UnsentAccount;
  source: VersionSource;
  /** `ConfigMap`, for bookmarks. */
  kind: string;
  bookmarks: boolean;
  clock: Clock;
  signal: AbortSignal;
  /** Unsent bytes at which a slow reader is disconnected; writes never wait for a reader. */
  maxBufferBytes: number;
  /** Called with the code of an API call that failed because of the API server. */
  failed?(code: string): void;
  /** Called once, when the stream needs hints about an unmanaged config. */
  onUnmanaged(): void;
}

const retryMs = 1_000;

export const streamHeaders = { 'content-type': 'application/json', 'cache-control': 'no-cache, private' };

/** One open watch: reads the version after each hint and sends what has changed for its reader. */
export class VersionStream implements Listener {
  readonly #options: StreamOptions;
  /** What was sent last, without its content; undefined while the config does not exist. */
  #shown: { key: string; deletedLine: string } | undefined;
  /** Size of a change that waits for memory. */
  #delayedBytes = 0;
  #resourceVersion = '';
  #dirty = false;
  #refreshing = false;
  #ended = false;
  #stalled = false;
  #reportedUnmanaged = false;
  #cancelRetry: (() => void) | undefined;

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  /** `now` is the version that applies at the start; `from` is the resourceVersion that the reader resumes from. */
  async start(now: AppliedVersion, from: string | undefined): Promise<void> {
    const { response, source, signal, unsent } = this.#options;
    // Read before the response starts, so a refusal can still be sent as an error response.
    const first = from === undefined ? now : await catchUp(source, now, from, this.#options);
    const content = await first.read(signal);
    if (response.destroyed || this.#ended) return;
    const type = firstEvent(first.resourceVersion, from);
    const line = type && content.line(type);
    const charged = line === undefined ? 0 : this.#mayWait(line);
    unsent.charge(charged);
    response.writeHead(200, streamHeaders);
    response.flushHeaders();
    response.socket?.setKeepAlive(true, 30_000);
    this.#note(first, content);
    if (line !== undefined) this.#write(line, charged);
    if (this.#dirty) this.hint();
  }

  hint(): void {
    this.#dirty = true;
    if (this.#refreshing || this.#ended || !this.#options.response.headersSent) return;
    void this.#refresh();
  }

  /** A change that is not visible to the reader: the reader may resume from this resourceVersion. */
  advanced(resourceVersion: string): void {
    if (!this.#refreshing && !this.#dirty) this.#resourceVersion = resourceVersion;
  }

  /** Sends a bookmark, and disconnects a reader that does not read. */
  heartbeat(): void {
    const { response, bookmarks, kind } = this.#options;
    if (response.writableLength > 0) {
      if (this.#stalled) this.#drop();
      this.#stalled = true;
      return;
    }
    this.#stalled = false;
    if (bookmarks && this.#resourceVersion !== '') this.#write(bookmarkLine(kind, this.#resourceVersion));
    // Catches changes that a watch missed, and ends the stream of a caller whose rights were revoked.
    this.hint();
  }

  /** Ends the stream as a watch ends at its timeout; with a Status, as a failed watch. */
  end(problem?: Status): void {
    if (this.#ended) return;
    if (problem !== undefined) this.#write(errorLine(problem));
    this.#ended = true;
    this.#cancelRetry?.();
    this.#options.response.end();
  }

  async #refresh(): Promise<void> {
    this.#refreshing = true;
    while (this.#dirty && !this.#ended) {
      this.#dirty = false;
      try {
        await this.#writeChange();
      } catch (error) {
        this.#failed(error);
      }
    }
    this.#refreshing = false;
  }

  async #writeChange(): Promise<void> {
    const { source, signal, unsent } = this.#options;
    if (this.#delayedBytes > 0 && !unsent.fits(this.#delayedBytes)) {
      this.#retry();
      return;
    }
    const now = await source.now(signal);
    const before = this.#shown;
    if (now === undefined) {
      this.#shown = undefined;
      if (before !== undefined) this.#write(before.deletedLine);
      return;
    }
    if (now.key === before?.key) {
      this.#resourceVersion = now.resourceVersion;
      return;
    }
    const content = await now.read(signal);
    const line = content.line(before === undefined ? 'ADDED' : 'MODIFIED');
    const charged = this.#mayWait(line);
    this.#delayedBytes = charged > 0 && !unsent.fits(charged) ? charged : 0;
    // Nothing is kept of a change that waits for memory: what is sent later is the state of that time.
    if (this.#delayedBytes > 0) {
      this.#retry();
      return;
    }
    unsent.charge(charged);
    this.#note(now, content);
    this.#write(line, charged);
  }

  /** Bytes of the line that may wait for the reader. */
  #mayWait({ length }: Buffer): number {
    return length > smallWriteBytes || this.#options.response.writableLength > 0 ? length : 0;
  }

  #note({ key, resourceVersion, managed }: AppliedVersion, { deletedLine }: WatchPayload): void {
    this.#shown = { key, deletedLine };
    this.#resourceVersion = resourceVersion;
    if (managed || this.#reportedUnmanaged) return;
    this.#reportedUnmanaged = true;
    this.#options.onUnmanaged();
  }

  /** A refusal ends the stream with an ERROR event; an API server that does not respond is retried. */
  #failed(error: unknown): void {
    if (this.#ended || this.#options.signal.aborted) return;
    const failure = failureCode(error);
    if (failure !== undefined) this.#options.failed?.(failure);
    const known = error instanceof Refusal ? error : fromUpstream(error);
    const code = known?.body.code ?? 500;
    if (known !== undefined && code < 500 && code !== 429) {
      this.end(known.body);
      return;
    }
    this.#retry();
  }

  #retry(): void {
    this.#cancelRetry?.();
    if (!this.#ended) this.#cancelRetry = this.#options.clock.after(retryMs, () => this.hint());
  }

  /** `charged` is given back when the reader has taken the line. */
  #write(line: Buffer | string, charged = 0): void {
    const { response, maxBufferBytes, unsent } = this.#options;
    if (this.#ended || response.destroyed) return;
    const waiting = response.writableLength;
    if (waiting > 0 && waiting + line.length > maxBufferBytes) this.#drop();
    else response.write(line, () => unsent.release(charged));
  }

  #drop(): void {
    this.#ended = true;
    this.#cancelRetry?.();
    this.#options.response.destroy();
  }
}

/** The event with which a watch begins; undefined when the reader has seen everything. */
function firstEvent(resourceVersion: string, from: string | undefined): 'ADDED' | 'MODIFIED' | undefined {
  if (from === undefined || !isComparable(from)) return 'ADDED';
  // Changes in between are sent as their latest state.
  return isAhead(resourceVersion, from) ? 'MODIFIED' : undefined;
}
