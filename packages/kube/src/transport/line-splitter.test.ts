import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter } from './line-splitter.ts';

test('however the bytes are cut, the lines are the same', () => {
  const line = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/[\n\r]|\s$/.test(text));
  const story = fc.record({ lines: fc.array(line), cuts: fc.array(fc.nat(50)) });
  fc.assert(
    fc.property(story, ({ lines, cuts }) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
      const splitter = new LineSplitter(1_000_000);
      const found = pieces(bytes, cuts).flatMap((chunk) => splitter.push(chunk));
      expect(found).toEqual(lines);
      expect(splitter.unfinished).toBe(false);
    }),
  );
});

function pieces(bytes: Buffer, sizes: number[]): Buffer[] {
  const result: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    result.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...result, bytes.subarray(at)];
}

test('a character cut in two comes out whole', () => {
  const splitter = new LineSplitter(100);
  const bytes = Buffer.from('"Zürich 🚢"\n');
  const ship = bytes.indexOf(Buffer.from('🚢'));
  expect(splitter.push(bytes.subarray(0, ship + 2))).toEqual([]);
  expect(splitter.push(bytes.subarray(ship + 2))).toEqual(['"Zürich 🚢"']);
});

test('an end without a newline is known to be unfinished', () => {
  const splitter = new LineSplitter(100);
  expect(splitter.push(Buffer.from('one\ntw'))).toEqual(['one']);
  expect(splitter.unfinished).toBe(true);
});

test('a line over the limit is refused, in one piece or in many', () => {
  expect(() => new LineSplitter(10).push(Buffer.from('12345678901\n'))).toThrow(RangeError);
  const splitter = new LineSplitter(10);
  splitter.push(Buffer.from('123456'));
  expect(() => splitter.push(Buffer.from('78901'))).toThrow(RangeError);
});

test('empty lines and carriage returns carry nothing', () => {
  expect(new LineSplitter(100).push(Buffer.from('\n\r\none\r\n\n'))).toEqual(['one']);
});
