import { expect, test } from 'vitest';
import { Screen } from './screen.ts';

const shown = (isTTY: boolean, env: Record<string, string>) =>
  new Screen({ write: () => true, isTTY }, env).colour('bad', 'rolled back');

test('colours are for terminals only, and NO_COLOR turns them off', () => {
  expect(shown(true, {})).toBe('\u001b[31mrolled back\u001b[0m');
  expect(shown(true, { NO_COLOR: '' })).toContain('\u001b[31m');
  expect(shown(true, { NO_COLOR: '1' })).toBe('rolled back');
  expect(shown(true, { TERM: 'dumb' })).toBe('rolled back');
  expect(shown(false, {})).toBe('rolled back');
});
