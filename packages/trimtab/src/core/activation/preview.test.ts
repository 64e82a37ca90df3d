import { describe, expect, test } from 'vitest';
import { key, requested, running, staying, workload } from '../../../test/support/activation-states.ts';
import { previewActivation } from './preview.ts';

/** The versions of each workload that is moved. */
const moves = (preview: ReturnType<typeof previewActivation>) =>
  Object.fromEntries([...preview.moves].map(([name, { references }]) => [name, [...references.values()]]));

test('the activation moves the workloads of the config', () => {
  const preview = previewActivation(
    requested('foo', 1),
    [staying('bar')],
    [workload('Deployment/web', { foo: 0, bar: 0 }), workload('Deployment/other', { bar: 0 })],
  );
  expect(moves(preview)).toEqual({ 'Deployment/web': ['foo-1', 'bar-0'] });
  expect(preview).toMatchObject({ waitsFor: [], afterRollback: false, pausedBy: [] });
});

describe('a config waits for', () => {
  const workloads = [
    workload('Deployment/web', { foo: 0, near: 0 }),
    workload('Deployment/far', { far: 0 }),
    workload('Deployment/next', { near: 0, beyond: 0 }),
  ];

  test('the activations in progress that share a workload with it, and for no other', () => {
    const others = ['near', 'far', 'beyond'].map((config) =>
      staying(config, { running: running(config, 1) }),
    );
    const preview = previewActivation(requested('foo', 1), others, workloads);
    expect(preview.waitsFor).toEqual([key('near')]);
    expect(moves(preview)).toEqual({ 'Deployment/web': ['foo-1', 'near-0'] });
  });

  test('nothing when the others share no workload with it', () => {
    const others = ['far', 'beyond'].map((config) => staying(config, { running: running(config, 1) }));
    expect(previewActivation(requested('foo', 1), others, workloads).waitsFor).toEqual([]);
  });

  test('nothing when its version is current', () => {
    const others = [staying('near', { running: running('near', 1) })];
    expect(previewActivation(staying('foo'), others, workloads)).toMatchObject({
      activation: undefined,
      waitsFor: [],
    });
  });
});

describe('a neighbour that was requested, too', () => {
  test('is activated with the config', () => {
    const preview = previewActivation(
      requested('foo', 1),
      [requested('bar', 2)],
      [workload('Deployment/web', { foo: 0, bar: 0 })],
    );
    expect(moves(preview)).toEqual({ 'Deployment/web': ['foo-1', 'bar-2'] });
  });

  test('keeps the config waiting for what it waits for itself', () => {
    const preview = previewActivation(
      requested('foo', 1),
      [requested('bar', 2), staying('busy', { running: running('busy', 1) })],
      [workload('Deployment/web', { foo: 0, bar: 0 }), workload('Deployment/other', { bar: 0, busy: 1 })],
    );
    expect(preview.waitsFor).toEqual([key('busy')]);
    expect([...preview.moves.keys()]).toEqual(['Deployment/web', 'Deployment/other']);
  });

  test('is left alone when its version cannot be activated', () => {
    const preflight = { reason: 'KeyMissing', message: 'no key' } as const;
    const preview = previewActivation(
      requested('foo', 1),
      [requested('bar', 2, { preflight })],
      [workload('Deployment/web', { foo: 0, bar: 0 })],
    );
    expect(moves(preview)).toEqual({ 'Deployment/web': ['foo-1', 'bar-0'] });
  });
});

describe('a parked neighbour', () => {
  const workloads = [
    workload('Deployment/web', { foo: 0, bar: 1 }),
    workload('Deployment/other', { bar: 0 }),
  ];
  const parked = running('bar', 1, { parked: true });

  test('is activated with the config, with all its workloads', () => {
    const preview = previewActivation(requested('foo', 1), [staying('bar', { running: parked })], workloads);
    expect(preview.activation?.members.map(({ target }) => target.object)).toEqual(['bar-1', 'foo-1']);
    expect(moves(preview)).toEqual({ 'Deployment/web': ['foo-1', 'bar-1'], 'Deployment/other': ['bar-1'] });
  });

  test('is activated with the config, also when another keeps it waiting', () => {
    const others = [staying('bar', { running: parked }), staying('busy', { running: running('busy', 1) })];
    const preview = previewActivation(requested('foo', 1), others, [
      ...workloads,
      workload('Deployment/third', { foo: 0, busy: 1 }),
    ]);
    expect(preview.waitsFor).toEqual([key('busy')]);
    expect(preview.activation?.members.map(({ config }) => config)).toEqual([key('bar'), key('foo')]);
  });

  test('keeps the activation waiting while its rollout is paused', () => {
    const bar = staying('bar', { running: parked });
    const paused = { ...bar, rules: { ...bar.rules, paused: true } };
    const preview = previewActivation(requested('foo', 1), [paused], workloads);
    expect(preview.pausedBy).toEqual([key('bar')]);
    expect([...preview.moves.keys()]).toEqual(['Deployment/web', 'Deployment/other']);
  });
});

describe('while a version is rolled back', () => {
  const rollingBack = { running: running('foo', 1, { rollingBack: true }) };
  const workloads = [
    workload('Deployment/web', { foo: 1 }),
    workload('Deployment/back', { foo: 0 }),
    workload('Deployment/other', { bar: 0 }),
  ];

  test('a request for it begins after the rollback, and moves all workloads', () => {
    const preview = previewActivation(requested('foo', 1, rollingBack), [], workloads);
    expect(preview.afterRollback).toBe(true);
    expect(preview.activation).toMatchObject({ phase: 'moving', begins: true });
    expect(moves(preview)).toEqual({ 'Deployment/web': ['foo-1'], 'Deployment/back': ['foo-1'] });
  });

  test('it is tried without the versions that failed with it', () => {
    const both = (config: string) => ({
      running: running(config, 1, {
        activation: 'act-1',
        members: [key('foo'), key('bar')],
        rollingBack: true,
      }),
    });
    const preview = previewActivation(
      requested('foo', 1, both('foo')),
      [staying('bar', both('bar'))],
      [workload('Deployment/web', { foo: 1, bar: 1 })],
    );
    expect(moves(preview)).toEqual({ 'Deployment/web': ['foo-1', 'bar-0'] });
  });

  test('a request for another version supersedes the rollback', () => {
    const preview = previewActivation(requested('foo', 2, rollingBack), [], workloads);
    expect(preview.afterRollback).toBe(false);
    expect(moves(preview)).toEqual({ 'Deployment/web': ['foo-2'], 'Deployment/back': ['foo-2'] });
  });
});
