import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from './clock.ts';

const dayMs = 24 * 3600_000;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test.each([1, 24, 25, 60])('what is due in %i days comes then, and not at once', (days) => {
  const callback = vi.fn();
  systemClock.after(days * dayMs, callback);
  vi.advanceTimersByTime(days * dayMs - 1);
  expect(callback).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(callback).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

test('what is called off before its time does not come, however long it was to wait', () => {
  const callback = vi.fn();
  const cancel = systemClock.after(60 * dayMs, callback);
  vi.advanceTimersByTime(30 * dayMs);
  cancel();
  vi.advanceTimersByTime(60 * dayMs);
  expect(callback).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});
