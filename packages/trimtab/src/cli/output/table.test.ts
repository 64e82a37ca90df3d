import { describe, expect, test } from 'vitest';
import { Screen } from './screen.ts';
import { type Column, oneLine, renderTable } from './table.ts';

interface Row {
  name: string;
  state: string;
  why: string;
}

const columns: Column<Row>[] = [
  { title: 'NAME', cell: ({ name }) => name },
  {
    title: 'STATE',
    cell: ({ state }) => state,
    tone: ({ state }) => (state === 'failed' ? 'bad' : undefined),
  },
  { title: 'REASON', cell: ({ why }) => why, flexible: true },
  { title: 'LENGTH', cell: ({ why }) => String(why.length), wide: true },
];

const rows: Row[] = [
  { name: 'web', state: 'failed', why: 'pod web-1 crashed twice' },
  { name: 'worker', state: 'ok', why: '' },
];

const file = new Screen({ write: () => {} }, {});
const terminal = (width: number, env = {}) =>
  new Screen({ write: () => {}, isTTY: true, columns: width }, { LANG: 'C.UTF-8', ...env });

describe('a table', () => {
  test('is written as kubectl writes it', () => {
    expect(renderTable(columns, rows, file)).toBe(
      ['NAME     STATE    REASON', 'web      failed   pod web-1 crashed twice', 'worker   ok', ''].join('\n'),
    );
    expect(renderTable(columns, rows, file, { wide: true, headers: false })).toBe(
      [
        'web      failed   pod web-1 crashed twice   23',
        'worker   ok                                 0',
        '',
      ].join('\n'),
    );
  });

  test('fits a terminal by cutting the column that may be cut', () => {
    const plain = terminal(34, { NO_COLOR: '1' });
    expect(renderTable(columns, rows, plain)).toBe(
      ['NAME     STATE    REASON', 'web      failed   pod web-1 crash…', 'worker   ok', ''].join('\n'),
    );
  });

  test('has colours on a terminal only, and not with NO_COLOR or a terminal without them', () => {
    const red = '\x1b[31mfailed\x1b[0m';
    expect(renderTable(columns, rows, terminal(80))).toContain(`web      ${red}   pod`);
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }])
      expect(renderTable(columns, rows, terminal(80, env))).not.toContain('\x1b');
    expect(renderTable(columns, rows, file)).not.toContain('\x1b');
    expect(renderTable(columns, rows, terminal(80, { NO_COLOR: '' }))).toContain(red);
  });

  test('keeps control characters of a container away from the terminal', () => {
    expect(oneLine('a\nb\x1b[2Jc\r\n')).toBe('a b [2Jc');
  });
});

test('a cell shows invisible characters as escapes', () => {
  expect(oneLine('1.0\u202e1\u200b\n')).toBe('1.0\\u202e1\\u200b');
});
