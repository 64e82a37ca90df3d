import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFrame, type Frame } from './frame.ts';
import { FrameReader } from './frame-reader.ts';

type Sent = Exclude<Frame, { type: 'other' }>;

const stream = fc.integer({ min: 1, max: 0x7fffffff });
const word = fc.integer({ min: 0, max: 0xffffffff });
const bytes = fc.uint8Array({ maxLength: 60 }).map((each) => Buffer.from(each));
const isLast = fc.boolean();
const frames: fc.Arbitrary<Sent> = fc.oneof(
  fc.record({ type: fc.constant('data' as const), stream, isLast, data: bytes }),
  fc.record({
    type: fc.constantFrom('open' as const, 'reply' as const, 'headers' as const),
    stream,
    isLast,
    packedHeaders: bytes,
  }),
  fc.record({ type: fc.constant('reset' as const), stream, status: word }),
  fc.record({ type: fc.constant('ping' as const), id: word }),
  fc.record({ type: fc.constant('go-away' as const), lastStream: stream, status: word }),
);

/** Splits bytes at these positions. */
function pieces(whole: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)), whole.length].sort((a, b) => a - b);
  return places.slice(1).map((place, index) => whole.subarray(places[index], place));
}

/** Joins the parts of a data frame, because the parts depend on how the bytes were split. */
function joined(all: readonly Frame[]): Frame[] {
  const found: Frame[] = [];
  let isOpen = false;
  for (const frame of all) {
    const before = found.at(-1);
    if (frame.type === 'data' && before?.type === 'data' && isOpen && before.stream === frame.stream)
      found[found.length - 1] = {
        ...frame,
        data: Buffer.concat([before.data, frame.data]),
        isLast: before.isLast || frame.isLast,
      };
    else found.push(frame);
    isOpen = frame.type === 'data';
  }
  return found;
}

describe('SPDY frames', () => {
  it('are read as they were written, in whatever pieces they come', () => {
    fc.assert(
      fc.property(fc.array(frames, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 12 }), (sent, cuts) => {
        const reader = new FrameReader();
        const whole = Buffer.concat(sent.map(encodeFrame));
        const read = pieces(whole, cuts).flatMap((piece) => [...reader.read(piece)]);
        // Consecutive data frames of the same stream are joined on both sides.
        expect(joined(read)).toEqual(joined(sent));
      }),
    );
  });

  it('of data are passed on before they are whole, and only the end is the end', () => {
    const reader = new FrameReader();
    const whole = encodeFrame({ type: 'data', stream: 5, isLast: true, data: Buffer.from('hello') });
    expect([...reader.read(whole.subarray(0, 10))]).toEqual([
      { type: 'data', stream: 5, isLast: false, data: Buffer.from('he') },
    ]);
    expect([...reader.read(whole.subarray(10))]).toEqual([
      { type: 'data', stream: 5, isLast: true, data: Buffer.from('llo') },
    ]);
  });

  it('that are unknown are skipped', () => {
    const settings = Buffer.from('8003000400000004aaaaaaaa', 'hex');
    const ping = encodeFrame({ type: 'ping', id: 7 });
    const read = [...new FrameReader().read(Buffer.concat([settings, ping]))];
    expect(read).toEqual([
      { type: 'other', kind: 4 },
      { type: 'ping', id: 7 },
    ]);
  });

  it.each([
    ['another version', '8002000600000004aaaaaaaa', /not a SPDY/],
    ['a length that nobody needs', '80030001ffffffff', /too long/],
    ['a stream without its fields', '800300010000000400000001', /truncated/],
    ['a reset without a reason', '800300030000000400000001', /truncated/],
  ])('with %s are refused', (_, hex, why) => {
    expect(() => [...new FrameReader().read(Buffer.from(hex, 'hex'))]).toThrow(why);
  });

  it('no bytes do more than be refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        try {
          for (const frame of new FrameReader().read(Buffer.from(noise)))
            expect(frame.type).toBeTypeOf('string');
        } catch (error) {
          expect((error as Error).message).toMatch(/SPDY/);
        }
      }),
    );
  });
});
