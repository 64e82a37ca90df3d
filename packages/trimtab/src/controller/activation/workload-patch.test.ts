import { describe, expect, test } from 'vitest';
import type { Command } from '../../core/activation/types.ts';
import { workload as reduceWorkload, type Workload } from '../../core/workload/reduce-workload.ts';
import { directOperations } from '../workload/change-references.ts';
import { moveChange, notePatch } from './workload-patch.ts';

const web = reduceWorkload('Deployment')({
  metadata: { namespace: 'shop', name: 'web', uid: 'u1', generation: 7, resourceVersion: '99' },
  spec: { template: { spec: { volumes: [{ name: 'foo', configMap: { name: 'foo-0' } }] } } },
} as never);

const references = new Map([['ConfigMap/foo' as const, 'foo-1']]);
const record = {
  activation: 'a-1',
  previous: new Map([['ConfigMap/foo' as const, 'foo-0']]),
  previousLabel: 'old',
  healthyTemplate: 't',
};
const assign: Command = { do: 'assign', workload: 'Deployment/web', references, label: 'new', record };
const commands: [string, Exclude<Command, { do: 'delete pod' }>][] = [
  ['assign', assign],
  ['note', { do: 'note', workload: 'Deployment/web', record }],
  ['revert', { do: 'revert', workload: 'Deployment/web', references, label: 'old', record }],
];

function operationsOf(workload: Workload, command: Exclude<Command, { do: 'delete pod' }>) {
  if (command.do === 'note') return notePatch(workload, command);
  return directOperations(
    workload,
    moveChange(command, () => 'foo', { mode: 'recycle', way: 'template' }),
  );
}

describe('the patch of a workload', () => {
  test.each(commands)('to %s fails when the workload was changed since, be it changed back', (_, command) => {
    const operations = operationsOf(web, command);
    expect(operations).toContainEqual({ op: 'test', path: '/metadata/uid', value: 'u1' });
    expect(operations).toContainEqual({ op: 'test', path: '/metadata/generation', value: 7 });
  });

  test('fails when the workload was pinned since, or is pinned to something else', () => {
    const path = '/metadata/annotations/trimtab.dev~1pin';
    const tested = (annotations: Record<string, string>) =>
      operationsOf({ ...web, annotations }, assign).find((each) => each.path === path);
    expect(tested({ other: 'x' })).toEqual({ op: 'test', path, value: null });
    expect(tested({ 'trimtab.dev/pin': '{}' })).toEqual({ op: 'test', path, value: '{}' });
  });

  test('replaces a name only where it is the one that was seen', () => {
    const path = '/spec/template/spec/volumes/0/configMap/name';
    expect(operationsOf(web, assign).filter((each) => each.path === path)).toEqual([
      { op: 'test', path, value: 'foo-0' },
      { op: 'replace', path, value: 'foo-1' },
    ]);
  });
});
