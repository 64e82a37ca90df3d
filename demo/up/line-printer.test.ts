import { expect, test } from 'vitest';
import { LinePrinter } from './line-printer.ts';

test('lines wait while the live tree is shown, and none is lost', () => {
  const written: string[] = [];
  const printer = new LinePrinter((text) => void written.push(text));
  printer.print('one');
  printer.hold();
  printer.print('two');
  printer.print('three');
  expect(written).toEqual(['one\n']);
  printer.release('');
  printer.print('four');
  expect(written).toEqual(['one\n', '\n', 'two\n', 'three\n', 'four\n']);
});
