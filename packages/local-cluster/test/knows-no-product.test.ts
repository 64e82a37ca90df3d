import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const sources = path.join(import.meta.dirname, '../src');

test('the local cluster knows nothing of Trimtab: any project can use it', () => {
  const knowing = globSync('**/*.*', { cwd: sources }).filter((file) => {
    const text = readFileSync(path.join(sources, file), 'utf8');
    // The npm scope of the packages does not count as a dependency on the product.
    return /trimtab/i.test(`${file}\n${text.replaceAll('@trimtab/', '')}`);
  });
  expect(knowing).toEqual([]);
});
