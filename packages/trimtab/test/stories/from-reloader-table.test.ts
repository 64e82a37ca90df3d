import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { annotationRows, flagRows } from '../support/from-reloader-rows.ts';

const guide = path.resolve(import.meta.dirname, '../../../../docs/guides/from-reloader.md');

test('each row of the guide has a story, and each story a row', () => {
  const cells = readFileSync(guide, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split(' | ')[0]?.slice(2));
  const heads = ['annotation', 'flag of Reloader'];
  expect(cells.filter((cell) => !heads.includes(cell ?? ''))).toEqual([...annotationRows, ...flagRows]);
});
