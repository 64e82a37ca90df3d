import type { KubeClient } from '@trimtab/kube/client.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { expect, test } from 'vitest';
import { installation } from '../manifests/installation.ts';
import { guardPods, podPolicies } from '../manifests/pod-policies.ts';
import { PodAdmission } from './pod-admission.ts';

const checkMs = 30_000;
const all = (): KubeObject[] => [...guardPods(installation()), ...podPolicies(installation())];

function scene() {
  const clock = new ManualClock();
  let objects = all();
  let failure: number | undefined;
  const requests: string[] = [];
  const client = {
    async get(resource: Resource, { name }: { name: string }) {
      requests.push(`${resource.kind} ${name}`);
      const found = objects.find(({ kind, metadata }) => kind === resource.kind && metadata.name === name);
      const status = failure ?? (found === undefined ? 404 : undefined);
      if (status !== undefined) throw new ApiError(status, { apiVersion: 'v1', kind: 'Status' });
      return found;
    },
  } as unknown as KubeClient;
  const end = new AbortController();
  const admission = new PodAdmission({
    client,
    clock,
    log: silentLogger,
    names: installation(),
    webhook: false,
    mutatingPolicies: true,
  });
  const changes: (string | undefined)[] = [];
  /** The answers that were certain when they were told. */
  const certain: (string | undefined)[] = [];
  admission.subscribe((namespace) => {
    changes.push(admission.problem(namespace));
    if (admission.isCertain(namespace)) certain.push(admission.problem(namespace));
  });
  return {
    admission,
    clock,
    changes,
    certain,
    requests,
    end,
    installs: (...given: KubeObject[]) => {
      objects = given;
    },
    fails: (status: number | undefined) => {
      failure = status;
    },
  };
}

test('the first observation tells whether pods get versions, with one request for each object', async () => {
  const { admission, requests, end } = scene();
  const running = admission.run(end.signal);
  await admission.observed(end.signal);
  expect(admission.problem('shop')).toBeUndefined();
  expect(requests).toEqual(
    ['Validating', 'Mutating'].flatMap((each) => [
      `${each}AdmissionPolicy trimtab-pod-references`,
      `${each}AdmissionPolicyBinding trimtab-pod-references`,
    ]),
  );
  end.abort();
  await running;
});

test('what is not there at the start is not expected, and what is installed later counts with the next observation', async () => {
  const { admission, clock, changes, installs, end } = scene();
  installs(...guardPods(installation()));
  void admission.run(end.signal);
  await admission.observed(end.signal);
  expect(admission.problem('shop')).toContain(
    'MutatingAdmissionPolicy trimtab-pod-references does not exist',
  );
  installs(...all());
  await clock.advance(checkMs);
  expect(changes).toEqual([undefined]);
  await clock.advance(checkMs);
  expect(changes, 'nothing has changed').toHaveLength(1);
  end.abort();
});

test('what is installed later counts after two observations: the API server enforces new policies with a delay', async () => {
  const { admission, clock, changes, installs, end } = scene();
  installs(...guardPods(installation()));
  void admission.run(end.signal);
  await admission.observed(end.signal);
  expect(admission.problem('shop')).toContain('does not exist');
  await clock.advance(15_000);
  expect([admission.isCertain('shop'), changes.length]).toEqual([true, 1]);
  installs(...all());
  await clock.advance(checkMs);
  expect(admission.problem('shop')).toContain('does not exist');
  await clock.advance(5_000);
  expect([admission.problem('shop'), changes.length]).toEqual([undefined, 2]);
  end.abort();
});

test.each(all().map(({ kind }) => kind))(
  'a %s that was created just before the start counts after two observations',
  async (kind) => {
    const { admission, clock, installs, end } = scene();
    const creationTimestamp = new Date(clock.now() - 9_000).toISOString();
    installs(
      ...all().map((each) =>
        each.kind === kind ? { ...each, metadata: { ...each.metadata, creationTimestamp } } : each,
      ),
    );
    void admission.run(end.signal);
    await admission.observed(end.signal);
    expect([admission.isCertain('shop'), admission.problem('shop')]).toEqual([false, undefined]);
    await clock.advance(5_000);
    expect([admission.isCertain('shop'), admission.problem('shop')]).toEqual([true, undefined]);
    end.abort();
  },
);

test('policies that are older than that count at once', async () => {
  const { admission, clock, installs, end } = scene();
  const creationTimestamp = new Date(clock.now() - 10_000).toISOString();
  installs(...all().map((each) => ({ ...each, metadata: { ...each.metadata, creationTimestamp } })));
  void admission.run(end.signal);
  await admission.observed(end.signal);
  expect(admission.isCertain('shop')).toBe(true);
  end.abort();
});

test('what is replaced, as an upgrade does it, still counts; what is missing in two observations does not', async () => {
  const { admission, clock, changes, installs, end } = scene();
  void admission.run(end.signal);
  await admission.observed(end.signal);
  installs();
  await clock.advance(checkMs);
  expect(admission.problem('shop')).toBeUndefined();
  installs(...all());
  await clock.advance(checkMs);
  installs();
  await clock.advance(checkMs);
  expect(admission.problem('shop')).toBeUndefined();
  expect(changes).toEqual([]);
  await clock.advance(checkMs);
  expect(admission.problem('shop')).toContain('does not exist');
  expect(changes).toHaveLength(1);
  end.abort();
});

test('an API server that does not answer changes nothing, and delays the first observation', async () => {
  const { admission, clock, fails, end } = scene();
  fails(503);
  void admission.run(end.signal);
  let isObserved = false;
  const observed = admission.observed(end.signal).then(() => {
    isObserved = true;
  });
  await clock.advance(1_000);
  expect(isObserved).toBe(false);
  fails(undefined);
  await clock.advance(1_000);
  await observed;
  expect(admission.problem('shop')).toBeUndefined();
  fails(503);
  await clock.advance(10 * checkMs);
  expect(admission.problem('shop')).toBeUndefined();
  end.abort();
});

test('a controller without the right to read them does not rely on them once that has lasted', async () => {
  const { admission, clock, changes, fails, end } = scene();
  fails(403);
  void admission.run(end.signal);
  await admission.observed(end.signal);
  const problem = 'the controller may not read ValidatingAdmissionPolicy trimtab-pod-references';
  expect(admission.isCertain('shop')).toBe(false);
  expect(admission.problem('shop')).toBe(problem);
  await clock.advance(14_000);
  expect([admission.isCertain('shop'), changes]).toEqual([false, []]);
  await clock.advance(1_000);
  expect([admission.isCertain('shop'), changes]).toEqual([true, [problem]]);
  expect(admission.problem('shop')).toBe(problem);
  end.abort();
});

test.each([403, 404, 503])(
  'an API server that is starting, and answers %d for some seconds, changes nothing',
  async (status) => {
    const { admission, clock, fails, certain, end } = scene();
    fails(status);
    void admission.run(end.signal);
    await clock.advance(0);
    expect(admission.isCertain('shop')).toBe(false);
    await clock.advance(10_000);
    fails(undefined);
    await clock.advance(5_000);
    expect([admission.isCertain('shop'), admission.problem('shop')]).toEqual([true, undefined]);
    await clock.advance(2 * checkMs);
    expect(certain.filter((problem) => problem !== undefined)).toEqual([]);
    end.abort();
  },
);

test('a problem does not last over a time in which the API server did not answer', async () => {
  const { admission, clock, fails, end } = scene();
  fails(403);
  void admission.run(end.signal);
  await admission.observed(end.signal);
  fails(503);
  await clock.advance(checkMs);
  fails(403);
  await clock.advance(10_000);
  expect(admission.isCertain('shop')).toBe(false);
  fails(undefined);
  await clock.advance(5_000);
  expect([admission.isCertain('shop'), admission.problem('shop')]).toEqual([true, undefined]);
  end.abort();
});

test('a namespace that nobody has asked about before is known as well as the others', async () => {
  const { admission, clock, installs, end } = scene();
  installs();
  void admission.run(end.signal);
  await clock.advance(2 * checkMs);
  expect(admission.isCertain('shop')).toBe(true);
  expect(admission.problem('shop')).toContain('does not exist');
  end.abort();
});
