import fc from 'fast-check';
import { expect, it } from 'vitest';
import { container, noon, podOf, sidecar, viewOf } from '../../../test/support/pod-views.ts';
import type { Pod, PodStatus } from '../../objects/pod.ts';
import { nextBackOff, usualBackOff } from './back-off.ts';
import { type ContainerRecord, phaseOf } from './container-record.ts';
import { containersOf } from './container-roles.ts';
import { planPod, restartReference } from './plan-pod.ts';
import { podStatus } from './pod-status.ts';
import type { ProbeVerdict } from './probe-results.ts';

/** One event in the life of a pod. `which` selects the n-th container. */
type Step =
  | { what: 'time'; seconds: number }
  | { what: 'exit'; which: number; code: number }
  | { what: 'probe'; which: number; verdict: ProbeVerdict }
  | { what: 'start fails'; which: number }
  | { what: 'delete' };

const which = fc.nat({ max: 4 });
const verdict: fc.Arbitrary<ProbeVerdict> = fc.oneof(
  fc.record({ started: fc.boolean(), ready: fc.boolean() }),
  fc.constant<ProbeVerdict>({ started: true, ready: true, failed: 'liveness' }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('time' as const), seconds: fc.nat({ max: 400 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({ what: fc.constant('exit' as const), which, code: fc.constantFrom(0, 0, 1, 137) }),
  },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('probe' as const), which, verdict }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('start fails' as const), which }) },
  { weight: 1, arbitrary: fc.constant<Step>({ what: 'delete' }) },
);

const pod: fc.Arbitrary<Pod> = fc
  .record({
    restartPolicy: fc.constantFrom('Always', 'OnFailure', 'Never'),
    inits: fc.array(fc.boolean(), { maxLength: 3 }),
    mains: fc.integer({ min: 1, max: 2 }),
    deadline: fc.option(fc.integer({ min: 1, max: 2_000 }), { nil: undefined }),
  })
  .map(({ restartPolicy, inits, mains, deadline }) =>
    podOf({
      restartPolicy,
      initContainers: inits.map((isSidecar, index) => (isSidecar ? sidecar : container)(`i${index}`)),
      containers: Array.from({ length: mains }, (_, index) => container(`m${index}`)),
      ...(deadline !== undefined && { activeDeadlineSeconds: deadline }),
    }),
  );

/** Carries out plans instantly; the steps decide how containers behave. */
class Model {
  readonly records = new Map<string, ContainerRecord>();
  readonly verdicts: Record<string, ProbeVerdict> = {};
  readonly failing = new Set<string>();
  pod: Pod;
  known: PodStatus = {};
  now = noon;
  #id = 0;

  constructor(pod: Pod) {
    this.pod = pod;
  }

  view() {
    const { pod, now, verdicts } = this;
    return viewOf(pod, Object.fromEntries(this.records), { now, verdicts, startedAt: noon });
  }

  happen(each: Step): void {
    const all = containersOf(this.pod.spec).map(({ container: { name } }) => name);
    const name = 'which' in each ? (all[each.which % all.length] ?? '') : '';
    const current = this.records.get(name)?.current;
    if (each.what === 'time') this.now += each.seconds * 1000;
    else if (each.what === 'exit') this.end(name, each.code);
    else if (each.what === 'probe' && current !== undefined) this.verdicts[current.id] = each.verdict;
    else if (each.what === 'start fails') this.failing.add(name);
    else if (each.what === 'delete')
      this.pod = {
        ...this.pod,
        metadata: { ...this.pod.metadata, deletionTimestamp: '2026-01-01T13:00:00Z' },
      };
  }

  start(name: string): void {
    const record = this.records.get(name) ?? { made: 0 };
    const reference = restartReference(this.view(), name);
    if (reference !== undefined)
      record.backOff = nextBackOff(record.backOff, reference, this.now, usualBackOff);
    this.records.set(name, record);
    if (this.failing.delete(name)) {
      record.retryAt = this.now + 10_000;
      return;
    }
    record.made++;
    if (record.exit !== undefined) record.lastExit = record.exit;
    delete record.exit;
    record.current = { id: `c${this.#id++}`, startedAt: this.now };
  }

  end(name: string, exitCode: number): void {
    const record = this.records.get(name);
    if (record?.current === undefined) return;
    const { id: containerID, startedAt } = record.current;
    const byProbe = this.verdicts[containerID]?.failed !== undefined;
    delete record.current;
    record.exit = { containerID, exitCode, reason: 'x', startedAt, finishedAt: this.now, byProbe };
  }

  phase(name: string) {
    return phaseOf(this.records.get(name));
  }
}

const endOf = (name: string) => (name.startsWith('m') ? 143 : 0);

it('whatever happens to a pod, it goes by the rules', () => {
  fc.assert(
    fc.property(pod, fc.array(step, { maxLength: 40 }), (fresh, steps) => {
      const model = new Model(fresh);
      let hasEnded = false;
      for (const each of [{ what: 'time', seconds: 0 } as Step, ...steps]) {
        model.happen(each);
        // Repeats until the plan is stable. Each iteration starts or stops at least one of five containers.
        for (let turn = 0; turn < 50; turn++) {
          const view = model.view();
          const plan = planPod(view);
          const status = podStatus(view, plan, model.known);
          check(model, plan, status, hasEnded);
          hasEnded ||= plan.ending !== undefined;
          model.known = status;
          for (const { name } of plan.stop) model.end(name, endOf(name));
          const [next] = plan.start;
          if (next !== undefined) model.start(next);
          if (next === undefined && plan.stop.length === 0) break;
          expect(turn).toBeLessThan(49);
        }
      }
    }),
    { numRuns: 2_000 },
  );
});

function check(model: Model, plan: ReturnType<typeof planPod>, status: PodStatus, hadEnded: boolean): void {
  const all = containersOf(model.pod.spec);
  const alive = all.filter(({ container: { name } }) => model.phase(name) === 'running');
  // A pod that terminates never resumes.
  if (hadEnded) expect(plan.ending).toBeDefined();
  if (plan.ending !== undefined) expect(plan.start).toEqual([]);
  expect(plan.ended).toBe(plan.ending !== undefined && alive.length === 0);
  // Containers to start are not running, and containers to stop are.
  for (const name of plan.start) expect(model.phase(name)).not.toBe('running');
  for (const { name } of plan.stop) expect(model.phase(name)).toBe('running');
  // A container first starts only after the init containers before it.
  const [next] = plan.start;
  const index = all.findIndex(({ container: { name } }) => name === next);
  if (next !== undefined && (model.records.get(next)?.made ?? 0) === 0)
    for (const {
      role,
      container: { name },
    } of all.slice(0, index)) {
      if (role === 'init') expect(model.records.get(name)?.exit?.exitCode).toBe(0);
      if (role === 'sidecar') expect(model.records.get(name)?.made).toBeGreaterThan(0);
    }
  // A final phase never changes. Except after a deadline, it is not reported while a main container runs.
  if (['Succeeded', 'Failed'].includes(model.known.phase ?? '')) expect(status.phase).toBe(model.known.phase);
  if (status.phase === 'Succeeded') expect(alive.filter(({ role }) => role === 'main')).toEqual([]);
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True')
    expect(alive.filter(({ role }) => role === 'main')).toHaveLength(model.pod.spec.containers.length);
  // A plan that waits for a back-off always has a time for the next check.
  if (plan.backOff.length > 0) expect(plan.nextCheckAt).toBeGreaterThan(model.now);
}
