import { constants, createInflate, type Inflate } from 'node:zlib';
import { dictionaryId, headerDictionary } from './dictionary.ts';

/** Limit for the headers of one frame. Without it, a few bytes could decompress to gigabytes. */
const maxBlock = 64 * 1024;

/** Decompresses the headers of all frames of one direction, which form one zlib stream with references to earlier data. */
export class HeaderInflater {
  readonly #inflate: Inflate = createInflate({
    dictionary: headerDictionary,
    flush: constants.Z_SYNC_FLUSH,
    finishFlush: constants.Z_SYNC_FLUSH,
  });
  readonly #broken = Promise.withResolvers<never>();
  #parts: Buffer[] = [];
  #size = 0;

  constructor() {
    this.#inflate.on('error', (error) => this.#broken.reject(error));
    this.#inflate.on('data', (part: Buffer) => {
      this.#parts.push(part);
      this.#size += part.length;
      if (this.#size > maxBlock)
        this.#inflate.destroy(new Error(`SPDY header block exceeds ${maxBlock} bytes`));
    });
    // A failure outside of `unpack` must not be reported as an unhandled rejection.
    this.#broken.promise.catch(() => {});
  }

  /** Call it once at a time, in the order of the frames. After a rejection the connection cannot continue. */
  async unpack(packed: Buffer): Promise<Buffer> {
    this.#parts = [];
    this.#size = 0;
    const written = new Promise<void>((resolve, reject) => {
      this.#inflate.write(packed, (error) => (error ? reject(error) : resolve()));
    });
    await Promise.race([this.#broken.promise, written]);
    if (this.#inflate.destroyed) await this.#broken.promise;
    // Decompressed data may not have been emitted yet.
    while (this.#inflate.read() !== null);
    return Buffer.concat(this.#parts);
  }

  close(): void {
    this.#inflate.destroy();
  }
}

/**
 * Packs the headers of the other direction. Replies carry almost no headers, so blocks are stored uncompressed: every
 * zlib can read them, and packing is synchronous.
 */
export class HeaderPacker {
  #hasBegun = false;

  pack(block: Buffer): Buffer {
    // Go returns decompressed data only when it meets an empty block.
    const parts = [...stored(block), ...stored(Buffer.alloc(0))];
    if (!this.#hasBegun) parts.unshift(streamHeader());
    this.#hasBegun = true;
    return Buffer.concat(parts);
  }
}

/** An uncompressed, non-final deflate block of up to 64 KiB. */
function stored(block: Buffer): Buffer[] {
  const header = Buffer.alloc(5);
  header.writeUInt16LE(block.length, 1);
  header.writeUInt16LE(0xffff ^ block.length, 3);
  return [header, block];
}

/** Header of a zlib stream with a window of 32 KiB and a dictionary. */
function streamHeader(): Buffer {
  const header = Buffer.from([0x78, 0xbb, 0, 0, 0, 0]);
  header.writeUInt32BE(dictionaryId, 2);
  return header;
}
