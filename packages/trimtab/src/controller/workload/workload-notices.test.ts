import { describe, expect, test } from 'vitest';
import { annotations } from '../../api/names.ts';
import type { ConfigKey } from '../../core/references/config-key.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import { ToldNotices, workloadNotices } from './workload-notices.ts';

const foo = { kind: 'ConfigMap', name: 'foo' } as const;
const notices = (own: Record<string, string>, before: ConfigKey[] = [], managed: ConfigKey[] = []) =>
  workloadNotices(
    { annotations: own, templateAnnotations: {} },
    [foo],
    new Set(before),
    { managed: new Set(managed), obstacles: [] },
    false,
  );

test('annotations that cannot be read are named', () => {
  const own = { [annotations.manage]: 'Foo!', [annotations.wave]: 'last', [annotations.restart]: 'true' };
  expect(notices(own)).toEqual([
    { reason: 'InvalidAnnotation', message: expect.stringContaining('"Foo!"') },
    { reason: 'InvalidAnnotation', message: expect.stringContaining('"last"') },
  ]);
});

test('a list that names what the template does not reference is told, with each name', () => {
  expect(notices({ [annotations.manage]: 'foo' })).toEqual([]);
  expect(notices({ [annotations.manage]: 'foo,fooo,secret/foo' })).toEqual([
    {
      reason: 'InvalidAnnotation',
      message:
        'Annotation trimtab.dev/manage names ConfigMap fooo, Secret foo, which the pod template does not reference',
    },
  ]);
});

test('a managed workload that wants to be reloaded learns that it is recycled', () => {
  const reload = { [annotations.restart]: 'false' };
  expect(notices(reload, [], ['ConfigMap/foo'])).toEqual([
    { reason: 'ReloadNotAvailable', message: expect.stringContaining('no agent') },
  ]);
  expect(notices(reload), 'nothing is managed for it').toEqual([]);
});

test('a config that kustomize renamed is named, with its predecessor', () => {
  const message = expect.stringMatching(/^ConfigMap foo-22h75k9fdk replaces ConfigMap foo-4gm5tbb84k/);
  expect(notices({}, ['ConfigMap/foo-4gm5tbb84k'], ['ConfigMap/foo-22h75k9fdk'])).toEqual([
    { reason: 'HashedConfigName', message },
  ]);
});

describe('what the annotation of the template assigns', () => {
  const assigning = (text: string, before: ConfigKey[] = [], managed: ConfigKey[] = []) =>
    workloadNotices(
      { annotations: {}, templateAnnotations: { [annotations.versions]: text } },
      [foo],
      new Set(before),
      { managed: new Set(managed), obstacles: [] },
      false,
    );

  test('to a config that is not managed for the workload is told, because admission writes it all the same', () => {
    expect(assigning('configmap/foo=other')).toEqual([
      {
        reason: 'InvalidAnnotation',
        message:
          'Annotation trimtab.dev/versions of the pod template assigns "other" to ConfigMap foo, which is not managed for this workload: pods get "other", and nothing checks it. Remove the entry, or opt in with trimtab.dev/manage',
      },
    ]);
    expect(assigning('configmap/foo=foo-1', [], ['ConfigMap/foo']), 'it is managed').toEqual([]);
    expect(assigning('configmap/foo=foo-1', ['ConfigMap/foo']), 'an opt-out removes it').toEqual([]);
    expect(assigning('configmap/bar=other'), 'the template does not name it').toEqual([]);
  });

  test('as the config itself is told, because no pod can start', () => {
    const message = expect.stringMatching(/assigns ConfigMap foo to itself, so its pods are refused/);
    expect(assigning('configmap/foo=foo')).toEqual([{ reason: 'InvalidAnnotation', message }]);
    expect(assigning('configmap/foo=foo', [], ['ConfigMap/foo'])).toEqual([
      { reason: 'InvalidAnnotation', message },
    ]);
  });
});

test('a notice is told once while it holds, and again when it comes back, or for another workload of that name', () => {
  const told: string[] = [];
  const context = {
    recordEvent: (_: unknown, __: unknown, ___: unknown, message: string) => told.push(message),
  };
  const notes = new ToldNotices();
  const web = (uid: string) =>
    ({ kind: 'Deployment', namespace: 'ns', name: 'web', uid }) as unknown as Workload;
  const tell = (uid: string, ...messages: string[]) =>
    notes.tell(
      context,
      'ns/Deployment/web',
      web(uid),
      messages.map((message) => ({ reason: 'InvalidAnnotation', message })),
    );
  tell('u1', 'a');
  tell('u1', 'a');
  tell('u1', 'a', 'b');
  expect(told).toEqual(['a', 'b']);
  tell('u1');
  tell('u1', 'a');
  tell('u2', 'a');
  expect(told).toEqual(['a', 'b', 'a', 'a']);
  notes.forget('ns/Deployment/web');
  tell('u2', 'a');
  expect(told).toHaveLength(5);
});
