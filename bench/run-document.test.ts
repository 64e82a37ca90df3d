import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkWritable, type RunDocument, readRun, writeRun } from './run-document.ts';
import { sampleOf } from './sample.ts';

const run: RunDocument = {
  schema: 1,
  startedAt: '2026-11-18T02:00:00.000Z',
  commit: 'abc',
  count: null,
  machine: { cores: 2, processor: 'Fast CPU', memoryGb: 8, node: 'v26.1.0', kubernetes: 'v1.36.3' },
  load: { start: 0.5, end: 1.5 },
  results: [
    {
      row: 'a-row',
      ours: 'ours',
      peer: 'sketch',
      how: '',
      repetitions: 1,
      seconds: 1,
      load: { start: 0, end: 0 },
      figures: [{ what: 'p50', unit: 'ms', ours: sampleOf([1]), missed: false }],
    },
  ],
};

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'trimtab-bench-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('reads what it has written, and leaves no other file', async () => {
  const file = path.join(folder, 'run.json');
  await writeRun(file, run);
  await writeRun(file, { ...run, commit: 'def' });
  expect(await readRun(file)).toEqual({ ...run, commit: 'def' });
  expect(await readdir(folder)).toEqual(['run.json']);
});

it.each([
  ['no file', undefined, /cannot read .* \(ENOENT\)/],
  ['no JSON', '{', /is not valid JSON/],
  ['JSON without a schema', '{"machine":{},"results":[]}', /has schema version none, but .* version 1/],
  ['another schema', '{"schema":2}', /has schema version 2, but .* version 1/],
  ['an incomplete run', '{"schema":1}', /is not a complete run/],
  [
    'a figure without values',
    JSON.stringify({ ...run, results: [{ row: 'a-row', figures: [{ what: 'p50', unit: 'ms' }] }] }),
    /is not a complete run/,
  ],
])('refuses %s', async (_, text, message) => {
  const file = path.join(folder, 'refused.json');
  if (text !== undefined) await writeFile(file, text);
  await expect(readRun(file)).rejects.toThrow(message);
});

it('refuses to write to a folder that does not exist', async () => {
  await checkWritable(path.join(folder, 'run.json'));
  await expect(checkWritable(path.join(folder, 'none', 'run.json'))).rejects.toThrow(
    /cannot write .* does not exist/,
  );
});
