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
  #failure: Error | undefined;

  constructor() {
    this.#inflate.on('error', (error) => {
      this.#failure = error;
    });
  }

  /** One at a time, in the order of the frames. Rejects when it cannot be unpacked; there is no way to go on then. */
  async unpack(packed: Buffer): Promise<Buffer> {
    if (packed.length === 0) return packed;
    const parts: Buffer[] = [];
    let size = 0;
    const take = (part: Buffer) => {
      parts.push(part);
      size += part.length;
      if (size > maxBlock)
        this.#inflate.destroy(new Error(`the headers of a SPDY frame exceed ${maxBlock} bytes`));
    };
    this.#inflate.on('data', take);
    try {
      await new Promise<void>((resolve, reject) => {
        this.#inflate.write(packed, (error) => (error ? reject(error) : resolve()));
      });
    } finally {
      this.#inflate.off('data', take);
    }
    if (this.#failure !== undefined) throw this.#failure;
    return Buffer.concat(parts);
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
    const stored = Buffer.alloc(5);
    stored.writeUInt16LE(block.length, 1);
    stored.writeUInt16LE(0xffff ^ block.length, 3);
    const parts = this.#hasBegun ? [stored, block] : [streamHeader(), stored, block];
    this.#hasBegun = true;
    return Buffer.concat(parts);
  }
}

/** Deflate with a window of 32 KiB, and a dictionary. */
function streamHeader(): Buffer {
  const header = Buffer.from([0x78, 0xbb, 0, 0, 0, 0]);
  header.writeUInt32BE(dictionaryId, 2);
  return header;
}
