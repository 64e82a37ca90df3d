import { expect, test } from 'vitest';
import { ageOf, humanDuration } from './age.ts';
import { Screen } from './screen.ts';
import { cut } from './table.ts';

const shown = (isTTY: boolean, env: Record<string, string>) =>
  new Screen({ write: () => true, isTTY }, env).colour('bad', 'rolled back');

test('colours are for terminals only, and NO_COLOR turns them off', () => {
  expect(shown(true, {})).toBe('\u001b[31mrolled back\u001b[0m');
  expect(shown(true, { NO_COLOR: '' })).toContain('\u001b[31m');
  expect(shown(true, { NO_COLOR: '1' })).toBe('rolled back');
  expect(shown(true, { TERM: 'dumb' })).toBe('rolled back');
  expect(shown(false, {})).toBe('rolled back');
});

test('ages are those of kubectl', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  expect(ageOf('2025-12-31T23:58:01Z', now)).toBe('119s');
  expect(ageOf('2025-12-31T23:54:28Z', now)).toBe('5m32s');
  expect(ageOf(undefined, now)).toBe('<unknown>');
  expect(humanDuration(3 * 86_400_000 + 4 * 3_600_000)).toBe('3d4h');
});

test('what is cut ends with a sign of it', () => {
  expect(cut('configmap/foo', 13)).toBe('configmap/foo');
  expect(cut('configmap/foo', 6)).toBe('confi…');
});
