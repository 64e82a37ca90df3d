import { constants, createDeflate, type Deflate, deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dictionaryId, headerDictionary } from './dictionary.ts';
import { decodeHeaderBlock, encodeHeaderBlock, type Headers } from './header-block.ts';
import { HeaderInflater, HeaderPacker } from './header-compression.ts';

const names = fc.string({ minLength: 1, maxLength: 20 }).map((name) => name.toLowerCase());
const headers = fc
  .dictionary(names, fc.string({ maxLength: 40, unit: 'binary' }), { maxKeys: 6 })
  .filter((each) => Object.keys(each).every((name) => name === name.toLowerCase()));

/** Compresses as kubectl does: one stream, flushed after each frame. */
function packedBy(deflate: Deflate, block: Buffer): Promise<Buffer> {
  const parts: Buffer[] = [];
  const take = (part: Buffer) => parts.push(part);
  deflate.on('data', take);
  return new Promise((resolve) => {
    deflate.write(block);
    deflate.flush(constants.Z_SYNC_FLUSH, () => {
      deflate.off('data', take);
      resolve(Buffer.concat(parts));
    });
  });
}

const plain = (found: Headers) => ({ ...found });

describe('headers of SPDY frames', () => {
  it('have the dictionary that everybody has', () => {
    const { length } = headerDictionary;
    const id = deflateSync(Buffer.alloc(0), { dictionary: headerDictionary }).readUInt32BE(2);
    expect([length, id]).toEqual([1423, dictionaryId]);
  });

  it('are read as they were written', () => {
    fc.assert(
      fc.property(headers, (sent) => {
        expect(plain(decodeHeaderBlock(encodeHeaderBlock(sent)))).toEqual(plain(sent));
      }),
    );
  });

  it('that a client has packed one after the other are unpacked in that order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(headers, { minLength: 1, maxLength: 6 }), async (all) => {
        const deflate = createDeflate({ dictionary: headerDictionary });
        const inflater = new HeaderInflater();
        try {
          for (const sent of all) {
            const packed = await packedBy(deflate, encodeHeaderBlock(sent));
            expect(plain(decodeHeaderBlock(await inflater.unpack(packed)))).toEqual(plain(sent));
          }
        } finally {
          deflate.destroy();
          inflater.close();
        }
      }),
      { numRuns: 30 },
    );
  });

  it('that we pack are unpacked by any zlib', async () => {
    const [packer, inflater] = [new HeaderPacker(), new HeaderInflater()];
    for (const sent of [{}, { status: '200' }, {}])
      expect(plain(decodeHeaderBlock(await inflater.unpack(packer.pack(encodeHeaderBlock(sent)))))).toEqual(
        sent,
      );
    inflater.close();
  });

  it('that unpack to more than anybody needs are refused', async () => {
    const bomb = deflateSync(Buffer.alloc(10_000_000), { dictionary: headerDictionary });
    await expect(new HeaderInflater().unpack(bomb)).rejects.toThrow('exceeds 65536 bytes');
  });

  it('that cannot be unpacked are refused', async () => {
    await expect(new HeaderInflater().unpack(Buffer.from('no zlib at all'))).rejects.toThrow();
  });

  it.each([
    ['a count that is too large', 'ffffffff', /headers/],
    ['a name that is cut off', '0000000100000009616263', /truncated/],
    ['something behind them', '0000000001', /trailing bytes/],
    ['nothing at all', '', /truncated/],
  ])('with %s are refused', (_, hex, why) => {
    expect(() => decodeHeaderBlock(Buffer.from(hex, 'hex'))).toThrow(why);
  });

  it('may have any name', () => {
    const text = '{"__proto__":"x","constructor":"y"}';
    expect(JSON.stringify(decodeHeaderBlock(encodeHeaderBlock(JSON.parse(text))))).toBe(text);
  });
});
