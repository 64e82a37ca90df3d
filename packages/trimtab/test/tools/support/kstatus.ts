import { execFileSync } from 'node:child_process';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { toolPath } from '@trimtab/test-bed/tools/tool.ts';

interface Computed {
  status: 'InProgress' | 'Current' | 'Failed' | 'Terminating';
  message: string;
}

/** What kstatus, the library that Helm and Flux wait with, computes for each of these objects. */
export function computeStatus(objects: readonly KubeObject[]): Computed[] {
  const input = objects.map((object) => `${JSON.stringify(object)}\n`).join('');
  const output = execFileSync(toolPath('kstatus'), { input, encoding: 'utf8', maxBuffer: 2 ** 26 });
  return output
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** The statuses that clients see one after the other, each once. */
export function statusSequence(objects: readonly KubeObject[]): Computed['status'][] {
  const all = computeStatus(objects).map(({ status }) => status);
  return all.filter((each, index) => each !== all[index - 1]);
}
