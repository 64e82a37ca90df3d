import { describe, expect, test } from 'vitest';
import { OwnWrites } from './own-writes.ts';

describe('a write that came while the watch was being reopened', () => {
  test('is missing until the cache has it, or the watch has passed it', () => {
    const writes = new OwnWrites();
    writes.add('shop/a', '7');
    expect(writes.isMissing('shop/a', undefined, undefined)).toBe(true);
    expect(writes.isMissing('shop/a', '6', '6')).toBe(true);
    expect(writes.isMissing('shop/b', undefined, undefined)).toBe(false);
    expect(writes.isMissing('shop/a', '7', '6')).toBe(false);
    writes.add('shop/a', '9');
    expect(writes.isMissing('shop/a', undefined, '9'), 'it was deleted since').toBe(false);
  });

  test('counts with its newest version', () => {
    const writes = new OwnWrites();
    writes.add('shop/a', '8');
    writes.add('shop/a', '7');
    expect(writes.isMissing('shop/a', '7', undefined)).toBe(true);
    expect(writes.isMissing('shop/a', '10', undefined)).toBe(false);
  });

  test('is in every sync that began after it, also when versions went down', () => {
    const writes = new OwnWrites();
    writes.add('shop/a', '700');
    const synced = writes.syncStarts();
    writes.add('shop/b', '701');
    writes.add('shop/a', '702');
    synced();
    expect(writes.isMissing('shop/a', '3', '5'), 'written again during the sync').toBe(true);
    expect(writes.isMissing('shop/b', '4', '5')).toBe(true);
    writes.syncStarts()();
    expect(writes.isMissing('shop/a', '3', '5')).toBe(false);
    expect(writes.isMissing('shop/b', '4', '5')).toBe(false);
  });
});
