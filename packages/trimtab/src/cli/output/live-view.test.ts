import fc from 'fast-check';
import { expect, test } from 'vitest';
import { VirtualScreen } from '../../../test/cli/support/virtual-screen.ts';
import { LiveView, type Painter } from './live-view.ts';
import { Screen } from './screen.ts';

/** A live view on a terminal of this size, with a line of a shell above it. */
function terminal(columns: number, rows: number) {
  const shown = new VirtualScreen(columns, rows);
  shown.write('$ trimtab status foo -w\r\n');
  const output = {
    isTTY: true,
    columns,
    rows,
    write: (text: string) => shown.write(text.replaceAll('\n', '\r\n')),
    on: (_: 'resize', listener: () => void) => {
      resized = listener;
    },
    off: () => {
      resized = undefined;
    },
  };
  let resized: (() => void) | undefined;
  const view = new LiveView(new Screen(output, {}));
  const resize = (width: number, height: number) => {
    Object.assign(output, { columns: width, rows: height });
    shown.resize(width, height);
    resized?.();
  };
  return { shown, view, resize };
}

/** Paints lines of a name, cut to the height and to the width of the terminal, as trees are. */
const lines =
  (name: string, count: number, width = 20): Painter =>
  (height) =>
    Array.from({ length: Math.min(count, height ?? count) }, (_, index) =>
      `${name} ${index}`.slice(0, width),
    );

test('a new state replaces the old one in place', () => {
  const { shown, view } = terminal(20, 10);
  view.show(lines('old', 3));
  view.show(lines('new', 2));
  expect(shown.text).toBe('$ trimtab status foo\n -w\nnew 0\nnew 1');
});

test('a state that is higher than the screen is cut while it is live, and in full at the end', () => {
  const { shown, view } = terminal(20, 5);
  view.show(lines('pod', 9));
  expect(shown.visible).toBe('pod 0\npod 1\npod 2\npod 3');
  view.end();
  expect(shown.text.split('\n').slice(-9)).toEqual(lines('pod', 9)(undefined));
});

test('the cursor is shown and the state is complete after every write', () => {
  const { shown, view } = terminal(20, 10);
  for (const name of ['a', 'b', 'c']) {
    view.show(lines(name, 4));
    expect(shown.isCursorShown).toBe(true);
    expect(shown.text).toContain(`${name} 0\n${name} 1\n${name} 2\n${name} 3`);
  }
});

test('after Ctrl-C the echo of the terminal is overwritten', () => {
  const { shown, view } = terminal(40, 10);
  view.show(lines('pod', 2));
  shown.write('^C');
  view.end();
  expect(shown.text).toBe('$ trimtab status foo -w\npod 0\npod 1');
});

test('a narrower terminal shows the state once', () => {
  const { shown, view, resize } = terminal(40, 10);
  const painter: Painter = () => ['0123456789'.repeat(3), 'short'];
  let width = 40;
  view.show(() => painter(undefined).map((line) => line.slice(0, width)));
  width = 12;
  resize(12, 10);
  expect(shown.visible.split('\n').slice(-2)).toEqual(['012345678901', 'short']);
  expect(shown.text.match(/short/g)).toHaveLength(1);
});

test('whatever happens to states and the size, the last state is complete at the end, and the line above stays', () => {
  const step = fc.oneof(
    fc.record({ name: fc.constantFrom('a', 'bb', 'ccc'), count: fc.integer({ min: 1, max: 12 }) }),
    fc.record({ columns: fc.integer({ min: 4, max: 40 }), rows: fc.integer({ min: 3, max: 20 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const { shown, view, resize } = terminal(24, 30);
      let [last, columns] = [lines('a', 1), 24];
      view.show(last);
      for (const each of steps) {
        if ('name' in each) {
          last = lines(each.name, each.count, columns);
          view.show(last);
        } else {
          columns = each.columns;
          resize(each.columns, each.rows);
        }
        expect(shown.isCursorShown).toBe(true);
      }
      const final = lines('z', 5, columns);
      view.show(final);
      view.end();
      expect(shown.text.split('\n').slice(-5)).toEqual(final(undefined));
      expect(shown.text.replaceAll(/\s/g, '')).toContain('$trimtabstatusfoo-w');
    }),
  );
});
