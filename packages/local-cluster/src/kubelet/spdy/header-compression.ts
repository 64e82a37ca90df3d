import { constants, createInflate, type Inflate } from 'node:zlib';
import { dictionaryId, headerDictionary } from './dictionary.ts';

/** More headers than this in one frame are nobody's: a few bytes can be made to unpack to gigabytes. */
const maxBlock = 64 * 1024;

/** Unpacks the headers of all frames of one direction: they are one zlib stream, and later ones refer to earlier ones. */
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
        this.#inflate.destroy(new Error(`the headers of a SPDY frame exceed ${maxBlock} bytes`));
    });
    // Nobody may be waiting.
    this.#broken.promise.catch(() => {});
  }

  /** One at a time, in the order of the frames. Rejects when it cannot be unpacked; there is no way to go on then. */
  async unpack(packed: Buffer): Promise<Buffer> {
    this.#parts = [];
    this.#size = 0;
    const written = new Promise<void>((resolve, reject) => {
      this.#inflate.write(packed, (error) => (error ? reject(error) : resolve()));
    });
    await Promise.race([this.#broken.promise, written]);
    if (this.#inflate.destroyed) await this.#broken.promise;
    // What has been unpacked may still be on its way to us.
    while (this.#inflate.read() !== null);
    return Buffer.concat(this.#parts);
  }

  close(): void {
    this.#inflate.destroy();
  }
}

/**
 * Packs the headers of the other direction. Answers carry next to nothing, so blocks are stored and not compressed:
 * every zlib reads them, and nothing has to be waited for.
 */
export class HeaderPacker {
  #hasBegun = false;

  pack(block: Buffer): Buffer {
    // An empty block after it: Go hands out what it has unpacked when it meets one, and not before.
    const parts = [...stored(block), ...stored(Buffer.alloc(0))];
    if (!this.#hasBegun) parts.unshift(streamHeader());
    this.#hasBegun = true;
    return Buffer.concat(parts);
  }
}

/** A block of deflate that is not the last one, and not compressed; up to 64 KiB. */
function stored(block: Buffer): Buffer[] {
  const header = Buffer.alloc(5);
  header.writeUInt16LE(block.length, 1);
  header.writeUInt16LE(0xffff ^ block.length, 3);
  return [header, block];
}

/** Deflate with a window of 32 KiB, and a dictionary. */
function streamHeader(): Buffer {
  const header = Buffer.from([0x78, 0xbb, 0, 0, 0, 0]);
  header.writeUInt32BE(dictionaryId, 2);
  return header;
}
