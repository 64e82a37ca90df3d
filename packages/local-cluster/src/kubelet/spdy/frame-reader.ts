import { type Frame, kinds, lastFlag, version } from './frame.ts';

/** Limit for control frames, which are small. Data frames are passed on in parts and have no limit. */
const maxControl = 64 * 1024;

/** Splits incoming chunks of any size into frames. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);
  /** State of a partially read data frame. */
  #data: { stream: number; isLast: boolean; left: number } | undefined;

  /** Throws when the bytes are not SPDY or a frame is too long. The connection cannot continue after that. */
  *read(chunk: Buffer): Generator<Frame> {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = Buffer.alloc(0);
    for (;;) {
      if (this.#data !== undefined) {
        if (bytes.length === 0) return;
        const part = bytes.subarray(0, this.#data.left);
        bytes = bytes.subarray(part.length);
        yield this.#dataFrame(this.#data, part);
        continue;
      }
      if (bytes.length < 8) break;
      const [first, second] = [bytes.readUInt32BE(0), bytes.readUInt32BE(4)];
      const [flags, length] = [second >>> 24, second & 0xffffff];
      if (first < 0x80000000) {
        const begun = { stream: first, isLast: (flags & lastFlag) !== 0, left: length };
        bytes = bytes.subarray(8);
        if (length === 0) yield this.#dataFrame(begun, Buffer.alloc(0));
        else this.#data = begun;
        continue;
      }
      if (first >>> 16 !== (0x8000 | version)) throw new Error('not a SPDY/3 frame');
      if (length > maxControl) throw new Error(`SPDY frame of ${length} bytes is too long`);
      if (bytes.length < 8 + length) break;
      yield controlFrame(first & 0xffff, flags, bytes.subarray(8, 8 + length));
      bytes = bytes.subarray(8 + length);
    }
    // Copied, because a view of a few bytes would keep the whole chunk in memory.
    this.#rest = Buffer.from(bytes);
  }

  #dataFrame(begun: { stream: number; isLast: boolean; left: number }, data: Buffer): Frame {
    const left = begun.left - data.length;
    this.#data = left === 0 ? undefined : { ...begun, left };
    return { type: 'data', stream: begun.stream, isLast: begun.isLast && left === 0, data };
  }
}

function controlFrame(kind: number, flags: number, payload: Buffer): Frame {
  const at = (index: number) => {
    if (payload.length < 4 * index + 4) throw new Error(`SPDY frame of kind ${kind} is truncated`);
    return payload.readUInt32BE(4 * index);
  };
  const isLast = (flags & lastFlag) !== 0;
  const stream = () => at(0) & 0x7fffffff;
  switch (kind) {
    case kinds.open:
      if (payload.length < 10) throw new Error('SPDY frame that opens a stream is truncated');
      return { type: 'open', stream: stream(), isLast, packedHeaders: Buffer.from(payload.subarray(10)) };
    case kinds.reply:
      return { type: 'reply', stream: stream(), isLast, packedHeaders: Buffer.from(payload.subarray(4)) };
    case kinds.headers:
      return { type: 'headers', stream: stream(), isLast, packedHeaders: Buffer.from(payload.subarray(4)) };
    case kinds.reset:
      return { type: 'reset', stream: stream(), status: at(1) };
    case kinds.ping:
      return { type: 'ping', id: at(0) };
    case kinds.goAway:
      return { type: 'go-away', lastStream: stream(), status: at(1) };
    default:
      return { type: 'other', kind };
  }
}
