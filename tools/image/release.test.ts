import { expect, test } from 'vitest';
import { releaseOf } from './release.ts';

test('the time of the images comes from SOURCE_DATE_EPOCH', async () => {
  expect(await releaseOf('1.2.0', { SOURCE_DATE_EPOCH: '1700000000' })).toMatchObject({
    version: '1.2.0',
    created: '2023-11-14T22:13:20Z',
  });
  await expect(releaseOf('1.2.0', { SOURCE_DATE_EPOCH: 'yesterday' })).rejects.toThrow('SOURCE_DATE_EPOCH');
});
