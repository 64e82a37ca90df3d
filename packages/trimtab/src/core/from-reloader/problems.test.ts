import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WorkloadKind } from '../workload/observed.ts';
import { reloaderProblems } from './problems.ts';

const references = [
  { kind: 'ConfigMap', name: 'foo' },
  { kind: 'Secret', name: 'db' },
] as const;

function problems(
  annotations: Record<string, string>,
  {
    templateAnnotations = {},
    kind = 'Deployment',
    ofConfig = {},
  }: {
    templateAnnotations?: Record<string, string>;
    kind?: WorkloadKind;
    ofConfig?: Record<string, string>;
  } = {},
) {
  return reloaderProblems({ kind, annotations, templateAnnotations }, references, () => ({
    annotations: ofConfig,
    isForReloader: true,
  }));
}

const ignoredWith = (message: RegExp) => ({
  reason: 'ReloaderAnnotationIgnored',
  message: expect.stringMatching(message),
});
const invalidWith = (message: RegExp) => ({
  reason: 'InvalidAnnotation',
  message: expect.stringMatching(message),
});

const auto = { 'reloader.stakater.com/auto': 'true' };

test.each([
  {},
  { 'trimtab.dev/manage': 'true', 'example.com/reload': 'x', 'notreloader.stakater.com/auto': 'x' },
  auto,
  { 'configmap.reloader.stakater.com/auto': 'false', 'reloader.stakater.com/search': 'true' },
  { 'configmap.reloader.stakater.com/reload': 'f.*', 'secret.reloader.stakater.com/reload': 'db' },
  {
    'configmaps.exclude.reloader.stakater.com/reload': 'foo',
    'secrets.exclude.reloader.stakater.com/reload': 'db',
  },
  { 'configmaps.exclude.reloader.stakater.com/reload': '' },
  { 'deployment.reloader.stakater.com/pause-period': '5m' },
  { 'reloader.stakater.com/rollout-strategy': 'rollout' },
  { 'reloader.stakater.com/last-reloaded-from': '{}', 'deployment.reloader.stakater.com/paused-at': 'x' },
])('%j has its effect, or was written by Reloader', (annotations) => {
  expect(problems(annotations)).toEqual([]);
  if (!('deployment.reloader.stakater.com/pause-period' in annotations))
    expect(problems({}, { templateAnnotations: annotations as Record<string, string> })).toEqual([]);
});

describe('what has no counterpart', () => {
  test.each([
    ['reloader.stakater.com/rollout-strategy', 'restart', /trimtab.dev\/references: admission/],
    ['secretproviderclass.reloader.stakater.com/auto', 'true', /CSI driver.*copy them to a Secret/],
    ['secretproviderclass.reloader.stakater.com/reload', 'vault', /CSI driver/],
    ['secretproviderclasses.exclude.reloader.stakater.com/reload', 'vault', /CSI driver/],
    ['reloader.stakater.com/ignore', 'true', /on ConfigMaps and Secrets only/],
    ['reloader.stakater.com/match', 'true', /on ConfigMaps and Secrets only/],
    ['reloader.stakater.com/atuo', 'true', /no counterpart/],
  ])('%s: %s', (key, text, message) => {
    const expected = [ignoredWith(message)];
    expect(problems({ [key]: text })).toEqual(expected);
    expect(problems({}, { templateAnnotations: { [key]: text } })).toEqual(expected);
  });

  test('a pause period of another workload, or of a pod template', () => {
    const pause = { 'deployment.reloader.stakater.com/pause-period': '5m' };
    expect(problems(pause, { kind: 'DaemonSet' })).toEqual([ignoredWith(/DaemonSet.*minIntervalSeconds/)]);
    expect(problems({}, { templateAnnotations: pause })).toEqual([ignoredWith(/Set it on the Deployment/)]);
  });

  test('a name or a pattern of what the template does not reference', () => {
    expect(problems({ 'configmap.reloader.stakater.com/reload': 'foo,other,x.*' })).toEqual([
      ignoredWith(/"other,x\.\*" of Reloader is ignored: the pod template references no such ConfigMap/),
    ]);
    expect(problems({ 'secret.reloader.stakater.com/reload': 'foo' })).toHaveLength(1);
  });
});

describe('an exclusion of what the template does not reference', () => {
  const key = 'configmaps.exclude.reloader.stakater.com/reload';

  test('is ignored, on the workload and on the pod template', () => {
    const expected = [
      ignoredWith(
        /exclude.*"other,db" of Reloader is ignored: the pod template references no such ConfigMap/,
      ),
    ];
    expect(problems({ ...auto, [key]: 'foo,other,db' })).toEqual(expected);
    expect(problems(auto, { templateAnnotations: { [key]: 'foo,other,db' } })).toEqual(expected);
    expect(problems({ [key]: 'other' }, { templateAnnotations: { [key]: 'another' } })).toEqual([
      ignoredWith(/"other"/),
      ignoredWith(/"another"/),
    ]);
    expect(problems({ [key]: 'other' }, { templateAnnotations: { [key]: 'other' } })).toHaveLength(1);
  });

  test('may be a pattern, which only lists of opt-ins may have', () => {
    const pattern = [
      ignoredWith(/"f\.\*,\(foo\)" .*\. An exclusion has names only, no regular expressions$/),
    ];
    expect(problems({ ...auto, [key]: 'f.*,(foo),foo' })).toEqual(pattern);
  });

  test('may be as long as an annotation', () => {
    const names = Array.from({ length: 40_000 }, (_, index) => `a${index}`);
    expect(problems({ ...auto, [key]: names.join(',') })).toEqual([ignoredWith(/"a0,a1,.*…"/)]);
  });
});

describe('a value that is not valid', () => {
  test.each([
    ['reloader.stakater.com/auto', 'yes', /"yes", which is not valid: must be "true" or "false"/],
    ['secret.reloader.stakater.com/auto', '', /must be "true" or "false"/],
    ['reloader.stakater.com/search', 'TRUE', /must be "true" or "false"/],
    ['reloader.stakater.com/rollout-strategy', 'recreate', /must be "rollout" or "restart"/],
    ['deployment.reloader.stakater.com/pause-period', 'soon', /must be a duration/],
    ['configmap.reloader.stakater.com/reload', 'foo,(', /must be names or regular expressions/],
  ])('%s: "%s"', (key, text, message) => {
    expect(problems({ [key]: text })).toEqual([invalidWith(message)]);
  });

  test('on a config, with its effect', () => {
    const ofConfig = { 'reloader.stakater.com/ignore': 'yes', 'reloader.stakater.com/match': 'yes' };
    expect(problems(auto, { ofConfig })).toEqual([
      invalidWith(/^ConfigMap foo: Annotation .*ignore.* do not opt in for this config$/),
      invalidWith(/^ConfigMap foo: Annotation .*match/),
      invalidWith(/^Secret db: Annotation .*ignore/),
      invalidWith(/^Secret db: Annotation .*match/),
    ]);
    expect(problems({}, { ofConfig }), 'nothing was written for Reloader').toEqual([]);
  });
});

test('a list that is too large has one problem, which tells the limit', () => {
  const key = 'configmap.reloader.stakater.com/reload';
  expect(problems({ [key]: 'other,'.repeat(40_000) })).toEqual([
    invalidWith(/"other,other.*…", which is not valid: must be names or .*: at most 100 entries/),
  ]);
  expect(problems({ [key]: 'foo,a{600},b{600}' })).toEqual([
    invalidWith(/regular expressions of at most 1000 characters in all, repetitions counted$/),
  ]);
});

test('a message is never much longer than its annotation may be useful', () => {
  const key = fc.constantFrom(
    ...['auto', 'search', 'rollout-strategy', 'other'].map((name) => `reloader.stakater.com/${name}`),
    'configmap.reloader.stakater.com/reload',
    'deployment.reloader.stakater.com/pause-period',
  );
  fc.assert(
    fc.property(fc.dictionary(key, fc.string({ maxLength: 2_000 })), (annotations) => {
      for (const { message } of problems(annotations)) expect(message.length).toBeLessThan(400);
    }),
  );
});
