import { beforeEach } from 'vitest';
import { type Need, waitsFor } from './left-out.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** In vitest's JSON report: the test ran on the local cluster, or was skipped there. */
    onLocal?: { leftOutFor?: Need };
  }
}

beforeEach(({ task, skip }) => {
  const need = waitsFor(task.file.filepath, task.name);
  task.meta.onLocal = need === undefined ? {} : { leftOutFor: need };
  if (need !== undefined) skip(`needs ${need}`);
});
