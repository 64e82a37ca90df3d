import { describe, expect, it } from 'vitest';
import { container, exited, noon, podOf, running, sidecar, viewOf } from '../../../test/support/pod-views.ts';
import type { ContainerRecord } from './container-record.ts';
import { planPod } from './plan-pod.ts';

const inits = podOf({ initContainers: [container('one'), container('two')] });
const withSidecars = podOf({
  initContainers: [sidecar('proxy'), container('init'), sidecar('logger')],
  containers: [container('app'), container('web')],
});

describe('what is started next', () => {
  it.each<[string, typeof inits, Record<string, ContainerRecord>, string[]]>([
    [
      'all containers of a fresh pod',
      podOf({ containers: [container('a'), container('b')] }),
      {},
      ['a', 'b'],
    ],
    ['the first init container', inits, {}, ['one']],
    ['nothing while it runs', inits, { one: running('one') }, []],
    ['the next when it has ended well', inits, { one: exited(0) }, ['two']],
    ['the same again when it has failed', inits, { one: exited(1) }, ['one']],
    ['the app after the last init container', inits, { one: exited(0), two: exited(0) }, ['app']],
    ['a crashed app alone', inits, { one: exited(0), two: exited(0), app: exited(1) }, ['app']],
    ['the container after a sidecar that has started', withSidecars, { proxy: running('proxy') }, ['init']],
    [
      'a sidecar that has ended, while an init container runs',
      withSidecars,
      { proxy: exited(0), init: running('init') },
      ['proxy'],
    ],
    [
      'a sidecar that has ended together with the next',
      withSidecars,
      { proxy: exited(1), init: exited(0) },
      ['proxy', 'logger'],
    ],
    [
      'the containers behind the last sidecar',
      withSidecars,
      { proxy: running('proxy'), init: exited(0), logger: running('logger') },
      ['app', 'web'],
    ],
    [
      'a sidecar and an app that have crashed',
      withSidecars,
      {
        proxy: exited(1),
        init: exited(0),
        logger: running('logger'),
        app: exited(1),
        web: running('web'),
      },
      ['proxy', 'app'],
    ],
    ['nothing while one is being started', podOf({}), { app: { made: 0, starting: true } }, []],
    [
      'the first init container again after the kubelet was started anew',
      inits,
      {
        one: exited(0, { fromBefore: true }),
        two: exited(0, { fromBefore: true }),
        app: exited(255, { fromBefore: true }),
      },
      ['one'],
    ],
  ])('%s', (_, pod, records, expected) => {
    expect(planPod(viewOf(pod, records))).toMatchObject({ start: expected, stop: [], ended: false });
  });

  it('nothing before volumes and address are there', () => {
    expect(planPod(viewOf(podOf({}), {}, { placed: false }))).toMatchObject({ start: [], ended: false });
  });

  it('waits for a sidecar that has not started yet', () => {
    const verdicts = { proxy: { started: false, ready: false } };
    const plan = planPod(viewOf(withSidecars, { proxy: running('proxy') }, { verdicts }));
    expect(plan.start).toEqual([]);
  });

  it('tries what could not be made again when its time has come', () => {
    const failed = { made: 0, retryAt: noon + 10_000 };
    expect(planPod(viewOf(podOf({}), { app: failed }))).toMatchObject({
      start: [],
      nextCheckAt: noon + 10_000,
    });
    expect(planPod(viewOf(podOf({}), { app: failed }, { now: noon + 10_000 })).start).toEqual(['app']);
  });
});

describe('restart policies', () => {
  it.each([
    ['Always', 0, ['app']],
    ['Always', 1, ['app']],
    ['OnFailure', 0, []],
    ['OnFailure', 1, ['app']],
    ['Never', 0, []],
    ['Never', 1, []],
  ])('%s, exit code %d: start %j', (restartPolicy, exitCode, expected) => {
    const plan = planPod(viewOf(podOf({ restartPolicy }), { app: exited(exitCode) }));
    expect(plan.start).toEqual(expected);
    expect(plan.ended).toBe(expected.length === 0);
  });

  it('one container that is done does not end the pod while another runs', () => {
    const pod = podOf({ restartPolicy: 'Never', containers: [container('a'), container('b')] });
    const plan = planPod(viewOf(pod, { a: exited(0), b: running('b') }));
    expect(plan).toMatchObject({ start: [], stop: [], ended: false });
    expect(plan.ending).toBeUndefined();
  });

  it('a policy of its own stands above that of the pod', () => {
    const pod = podOf({ containers: [container('app', { restartPolicy: 'Never' })] });
    expect(planPod(viewOf(pod, { app: exited(1) }))).toMatchObject({ start: [], ending: 'finished' });
  });

  it('a pod that is never restarted is over when the kubelet is started anew', () => {
    const pod = podOf({ restartPolicy: 'Never' });
    const plan = planPod(viewOf(pod, { app: exited(255, { fromBefore: true }) }));
    expect(plan).toMatchObject({ start: [], ending: 'finished', ended: true });
  });
});

describe('a container that crashes again', () => {
  const crashed = exited(1, { made: 2, backOff: { ms: 10_000, updatedAt: noon - 1_000 } });

  it('waits out its back-off, which is shown after a moment', () => {
    const before = planPod(viewOf(podOf({}), { app: crashed }, { now: noon + 1 }));
    expect(before).toMatchObject({ start: [], backOff: [], nextCheckAt: noon + 1_000 });
    const plan = planPod(viewOf(podOf({}), { app: crashed }, { now: noon + 1_000 }));
    expect(plan).toMatchObject({ start: [], nextCheckAt: noon + 10_000 });
    expect(plan.backOff).toEqual([
      {
        name: 'app',
        reason: 'CrashLoopBackOff',
        message: 'back-off 10s restarting failed container=app pod=web_shop(u1)',
      },
    ]);
  });

  it('because of its image shows that it backs off pulling it', () => {
    const app = { made: 0, failedAt: noon, retryAt: noon + 20_000, pullProblem: 'unknown' };
    const plan = planPod(viewOf(podOf({}), { app }, { now: noon + 1_000 }));
    expect(plan).toMatchObject({ start: [], nextCheckAt: noon + 20_000 });
    expect(plan.backOff).toEqual([
      {
        name: 'app',
        reason: 'ImagePullBackOff',
        message: 'Back-off pulling image "app:1": ErrImagePull: unknown',
      },
    ]);
  });

  it('is started when it is over', () => {
    const plan = planPod(viewOf(podOf({}), { app: crashed }, { now: noon + 10_000 }));
    expect(plan).toMatchObject({ start: ['app'], backOff: [] });
  });

  it('because of a probe counts from the end before, as in the real kubelet', () => {
    const byProbe = exited(137, {
      backOff: { ms: 10_000, updatedAt: noon - 60_000 },
      lastExit: exited(1).exit,
      exit: { byProbe: true, finishedAt: noon + 30_000 },
    });
    expect(planPod(viewOf(podOf({}), { app: byProbe }, { now: noon + 30_000 })).start).toEqual(['app']);
  });
});

describe('a probe that has failed', () => {
  const failing = (failed: 'liveness' | 'startup') => ({ app: { started: true, ready: true, failed } });
  it.each([
    ['Always', 'Container app failed liveness probe, will be restarted'],
    ['Never', 'Container app failed liveness probe'],
  ])('ends the container (restart policy %s)', (restartPolicy, message) => {
    const pod = podOf({ restartPolicy, terminationGracePeriodSeconds: 12 });
    const plan = planPod(viewOf(pod, { app: running('app') }, { verdicts: failing('liveness') }));
    expect(plan.stop).toEqual([
      { name: 'app', graceSeconds: 12, message, after: [], byProbe: true, atOnce: false },
    ]);
  });

  it('may have a grace of its own', () => {
    const startupProbe = { terminationGracePeriodSeconds: 3 };
    const pod = podOf({ containers: [container('app', { startupProbe })] });
    const plan = planPod(viewOf(pod, { app: running('app') }, { verdicts: failing('startup') }));
    expect(plan.stop).toMatchObject([
      { graceSeconds: 3, message: 'Container app failed startup probe, will be restarted' },
    ]);
  });
});

describe('a pod that ends', () => {
  const going = { deletionTimestamp: '2026-01-01T12:00:30Z', deletionGracePeriodSeconds: 7 };
  const all = {
    proxy: running('proxy'),
    init: exited(0),
    logger: running('logger'),
    app: running('app'),
    web: running('web'),
  };

  it('ends its containers at once, its sidecars after them and in reverse order', () => {
    const plan = planPod(viewOf({ ...withSidecars, metadata: { ...withSidecars.metadata, ...going } }, all));
    expect(plan.stop.map(({ name, after, graceSeconds }) => ({ name, after, graceSeconds }))).toEqual([
      { name: 'proxy', after: ['app', 'web', 'logger'], graceSeconds: 7 },
      { name: 'logger', after: ['app', 'web'], graceSeconds: 7 },
      { name: 'app', after: [], graceSeconds: 7 },
      { name: 'web', after: [], graceSeconds: 7 },
    ]);
    expect(plan).toMatchObject({ start: [], ending: 'deleted', ended: false });
  });

  it.each<[string, Record<string, ContainerRecord>, boolean]>([
    ['nothing was ever started', {}, true],
    ['everything has ended', { app: exited(143) }, true],
    ['one is just being started', { app: { made: 0, starting: true } }, false],
    ['one still runs', { app: running('app') }, false],
  ])('when %s', (_, records, ended) => {
    expect(planPod(viewOf(podOf({}, going), records)).ended).toBe(ended);
  });

  it('when its deadline has passed, and is looked at then', () => {
    const pod = podOf({ activeDeadlineSeconds: 121 });
    expect(planPod(viewOf(pod, { app: running('app') }))).toMatchObject({
      nextCheckAt: noon + 1_000,
      stop: [],
    });
    const late = planPod(viewOf(pod, { app: running('app') }, { now: noon + 1_000 }));
    expect(late).toMatchObject({ ending: 'deadline', stop: [{ name: 'app', graceSeconds: 30 }] });
  });

  it('when its containers are done: sidecars are not restarted, and end', () => {
    const pod = { ...withSidecars, spec: { ...withSidecars.spec, restartPolicy: 'Never' } };
    const plan = planPod(viewOf(pod, { ...all, proxy: exited(1), app: exited(0), web: exited(0) }));
    expect(plan).toMatchObject({ start: [], ending: 'finished', stop: [{ name: 'logger', after: [] }] });
  });

  it('when an init container has failed for good', () => {
    const pod = podOf({ restartPolicy: 'Never', initContainers: [sidecar('proxy'), container('init')] });
    const plan = planPod(viewOf(pod, { proxy: running('proxy'), init: exited(1) }));
    expect(plan).toMatchObject({ start: [], ending: 'finished', stop: [{ name: 'proxy' }] });
  });

  it('because the kubelet does: no longer than that has patience', () => {
    const view = viewOf(podOf({}), { app: running('app') }, { leaving: 'kubelet-ends' });
    expect(planPod(view).stop).toMatchObject([{ graceSeconds: 30, atOnce: false }]);
    expect(planPod({ ...view, patienceSeconds: 5 }).stop).toMatchObject([{ graceSeconds: 5, atOnce: false }]);
    expect(planPod({ ...view, patienceSeconds: 0 }).stop).toMatchObject([{ graceSeconds: 0, atOnce: true }]);
  });

  it('because its object is gone: nobody wants to wait', () => {
    const view = viewOf(podOf({}), { app: running('app') }, { leaving: 'object-gone' });
    expect(planPod(view)).toMatchObject({ ending: 'object-gone', stop: [{ graceSeconds: 0 }] });
  });
});
