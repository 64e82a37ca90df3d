import { beforeEach } from 'vitest';
import { type Need, waitsFor } from './left-out.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Written into vitest's JSON report: this test ran on the local cluster, or was left out there. */
    onLocal?: { leftOutFor?: Need };
  }
}

beforeEach(({ task, skip }) => {
  const need = waitsFor(task.file.filepath, task.name);
  task.meta.onLocal = need === undefined ? {} : { leftOutFor: need };
  if (need !== undefined) skip(`the local cluster lacks: ${need}`);
});
