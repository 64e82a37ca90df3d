import fc from 'fast-check';
import { expect, test } from 'vitest';
import { slowStart } from './slow-start.ts';

test('batches double, and nothing of a batch begins before the one before has ended', async () => {
  const atOnce: number[] = [];
  let running = 0;
  const { made } = await slowStart(10, async () => {
    running += 1;
    await Promise.resolve();
    atOnce.push(running);
    await Promise.resolve();
    running -= 1;
    return 'pod';
  });
  expect(made).toHaveLength(10);
  expect(atOnce).toEqual([1, 2, 2, 4, 4, 4, 4, 3, 3, 3]);
});

test('after a batch with a failure none follows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 60 }), fc.nat(70), async (count, failsAt) => {
      let asked = 0;
      const { made, failure } = await slowStart(count, async () => {
        const index = asked++;
        if (index === failsAt) throw new Error('refused');
        return index;
      });
      // The number of calls at the end of each batch: 1, 3, 7, 15, …
      const batchEnd = 2 ** Math.floor(Math.log2(failsAt + 1) + 1) - 1;
      const expected = failsAt < count ? Math.min(count, batchEnd) : count;
      expect(asked).toBe(expected);
      expect(made).toHaveLength(failsAt < count ? expected - 1 : count);
      expect(failure instanceof Error).toBe(failsAt < count);
    }),
  );
});
