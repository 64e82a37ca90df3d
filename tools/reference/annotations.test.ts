import { readFileSync } from 'node:fs';
import path from 'node:path';
import { annotations, labels } from 'trimtab/api/names.ts';
import { expect, test } from 'vitest';

const page = readFileSync(path.join(import.meta.dirname, '../../docs/reference/annotations.md'), 'utf8');

test('the reference names every label and annotation, and none that does not exist', () => {
  const known = new Set<string>([
    ...Object.values(labels),
    ...Object.values(annotations),
    'trimtab.dev/version',
  ]);
  const named = new Set(page.match(/trimtab\.dev\/[a-z-]+/g));
  expect([...named].sort()).toEqual([...known].sort());
});
