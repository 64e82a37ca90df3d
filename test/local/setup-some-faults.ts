import { beforeEach } from 'vitest';
import { namesInNpmTest } from './fault-runs.ts';

beforeEach(({ task, skip }) => {
  const { filepath, tasks } = task.file;
  const chosen = namesInNpmTest(filepath);
  // A name that no test has any more must not go unnoticed: its family would not run at all.
  const names = new Set(tasks.map(({ name }) => name));
  const unknown = chosen.filter((name) => !names.has(name));
  if (unknown.length > 0)
    throw new Error(`There is no such fault run, see test/local/fault-runs.ts: ${unknown.join('; ')}`);
  if (!chosen.includes(task.name)) skip('npm run test:local has it');
});
