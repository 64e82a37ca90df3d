import { beforeEach } from 'vitest';
import { isInCi } from './fault-runs.ts';

beforeEach(({ task, skip }) => {
  const { filepath, tasks } = task.file;
  const place = tasks.findIndex(({ id }) => id === task.id);
  if (!isInCi(filepath, place)) skip('npm run test:long has it');
});
