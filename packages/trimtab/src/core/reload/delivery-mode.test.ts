import { describe, expect, test } from 'vitest';
import { annotations as names } from '../../api/names.ts';
import { deliveryMode, templateAnnotations } from './delivery-mode.ts';

const noRestart = { [names.restart]: 'false' };

describe('pods are reloaded', () => {
  test.each([
    ['when the workload says so', noRestart, {}],
    ['when its pod template says so', {}, noRestart],
    ['when the template says so and the workload does not', { [names.restart]: 'true' }, noRestart],
  ])('%s', (_, workload, template) => {
    expect(deliveryMode(workload, template)).toBe('reload');
  });
});

describe('pods are recycled', () => {
  test.each([
    ['by default', {}, {}],
    ['when the template says so', noRestart, { [names.restart]: 'true' }],
    ['when the value is not valid', { [names.restart]: 'no' }, {}],
    [
      'when the template has only a copy, and the workload changed its mind',
      {},
      { ...noRestart, [names.copied]: 'restart' },
    ],
  ])('%s', (_, workload, template) => {
    expect(deliveryMode(workload, template)).toBe('recycle');
  });
});

/** The template after Trimtab has written its annotations. */
function written(
  workload: Record<string, string>,
  template: Record<string, string>,
  mode: 'recycle' | 'reload',
): Record<string, string> {
  const after = new Map<string, string | undefined>(Object.entries(template));
  for (const [name, value] of templateAnnotations(workload, template, mode)) after.set(name, value);
  return Object.fromEntries([...after].filter((each): each is [string, string] => each[1] !== undefined));
}

describe('the pod template', () => {
  const workload = { ...noRestart, [names.reload]: 'signal:SIGHUP', [names.manage]: 'true' };

  test('gets the annotations of the workload that pods need, and a list of them', () => {
    expect(written(workload, { team: 'a' }, 'reload')).toEqual({
      team: 'a',
      [names.restart]: 'false',
      [names.reload]: 'signal:SIGHUP',
      [names.copied]: 'restart,reload',
    });
  });

  test('is not written again', () => {
    const once = written(workload, {}, 'reload');
    expect(templateAnnotations(workload, once, 'reload').size).toBe(0);
  });

  test('keeps what its author wrote', () => {
    const own = { [names.reload]: 'pull' };
    expect(written(workload, own, 'reload')).toMatchObject({
      [names.reload]: 'pull',
      [names.copied]: 'restart',
    });
    expect(written({}, { ...noRestart, ...own }, 'reload')).toEqual({ ...noRestart, ...own });
  });

  test('follows a change of the workload, and loses what the workload has lost', () => {
    const once = written(workload, { team: 'a' }, 'reload');
    const changed = { ...noRestart, [names.configPort]: '9002' };
    expect(written(changed, once, 'reload')).toEqual({
      team: 'a',
      ...changed,
      [names.copied]: 'restart,config-port',
    });
  });

  test('is as its author wrote it when the pods are recycled again', () => {
    const once = written(workload, { team: 'a' }, 'reload');
    expect(written({ ...workload, [names.restart]: 'true' }, once, 'recycle')).toEqual({ team: 'a' });
  });
});
