import { beforeAll, beforeEach, type TestContext } from 'vitest';
import { namesInNpmTest } from './fault-runs.ts';

type Task = TestContext['task'];

/** A name that no test has any more must not go unnoticed: its family would not run at all. */
beforeAll((_, suite) => {
  if (!('filepath' in suite)) return;
  const names = new Set(suite.tasks.map(({ name }) => name));
  const unknown = namesInNpmTest(suite.filepath).filter((name) => !names.has(name));
  if (unknown.length > 0)
    throw new Error(
      `${suite.filepath} has no such fault run, see test/local/fault-runs.ts: ${unknown.join('; ')}`,
    );
});

beforeEach(({ task, skip }: { task: Readonly<Task>; skip: TestContext['skip'] }) => {
  if (!namesInNpmTest(task.file.filepath).includes(task.name)) skip('npm run test:local has it');
});
