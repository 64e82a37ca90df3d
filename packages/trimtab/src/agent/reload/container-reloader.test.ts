import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { describe, expect, test } from 'vitest';
import type { SourceState } from '../files/file-set.ts';
import { ContainerReloader, type ContainerReloaderOptions } from './container-reloader.ts';
import { type Action, type Outcome, refused, succeeded, unreachable } from './outcome.ts';

const source = (version: string, kind = 'ConfigMap'): SourceState => ({
  ...{ kind, namespace: 'shop', name: 'foo', resourceVersion: '1', version, object: `foo-${version}` },
});

/** Containers whose hooks return these outcomes one after the other, and succeed afterwards. */
function reloaderWith(outcomes: Record<string, Outcome[]>, options: Partial<ContainerReloaderOptions> = {}) {
  const clock = new ManualClock();
  const told: string[] = [];
  const hookOf = (container: string): Action => ({
    name: `hook of ${container}`,
    async run() {
      told.push(container);
      return outcomes[container]?.shift() ?? succeeded;
    },
  });
  const reloader = new ContainerReloader({
    reload: Object.keys(outcomes).map((container) => ({ container, action: { by: 'pull' } })),
    verify: [],
    hooksOf: (container) => (container === undefined ? [] : [hookOf(container)]),
    publicVolume: '/nowhere',
    mayRunBefore: true,
    clock,
    timings: { attemptMs: 5_000, acknowledgeMs: 30_000, restoreMs: 10_000 },
    ...options,
  });
  const request = (kind?: string) => ({
    ...{ writtenAtTicks: 7, isApplicationHealthy: true, isReady: true },
    ...{ sources: [source('2', kind)], previous: [source('1', kind)] },
    signal: new AbortController().signal,
  });
  return { clock, reloader, told, request };
}

const away = (message: string) => unreachable(message, { isUntouched: true });
const many = (outcome: Outcome) => Array.from({ length: 100 }, () => outcome);

describe('a reload', () => {
  test('tells all containers', async () => {
    const { reloader, told, request } = reloaderWith({ a: [], b: [] });
    expect(await reloader.reload(request())).toEqual({ outcome: succeeded, wasTold: true });
    expect(told).toEqual(['a', 'b']);
  });

  test('of a new pod tells none, because none runs before the agent is ready', async () => {
    const { reloader, told, request } = reloaderWith({ a: [] }, { mayRunBefore: false });
    expect(await reloader.reload({ ...request(), isReady: false })).toEqual({
      outcome: succeeded,
      wasTold: false,
    });
    await reloader.reload(request());
    expect(told).toEqual(['a']);
  });

  test('fails with the refusal of one, and not before the others have answered', async () => {
    const { clock, reloader, told, request } = reloaderWith({
      a: [refused('no', 'why')],
      b: [away('starting')],
    });
    const reloaded = reloader.reload(request());
    await clock.advance(1_000);
    expect(await reloaded).toEqual({
      outcome: expect.objectContaining({ kind: 'refused', message: 'container a: no: why' }),
      wasTold: true,
    });
    expect(told).toEqual(['a', 'b', 'b']);
  });

  test('leaves a reason out that may quote a Secret', async () => {
    const { reloader, request } = reloaderWith({ a: [refused('no', 'why')] });
    const { outcome } = await reloader.reload(request('Secret'));
    expect(outcome).toMatchObject({ message: 'container a: no' });
  });

  test('is a refusal when a container has not answered in time', async () => {
    const { clock, reloader, request } = reloaderWith({ a: many(away('no handler')), b: [] });
    const reloaded = reloader.reload(request());
    await clock.advance(31_000);
    expect((await reloaded).outcome).toMatchObject({ kind: 'refused', message: 'container a: no handler' });
  });

  test('that is superseded ends at once, and is no refusal', async () => {
    const superseded = new AbortController();
    const { reloader, request } = reloaderWith({ a: many(away('starting')) });
    const reloaded = reloader.reload({ ...request(), superseded: superseded.signal });
    await Promise.resolve();
    superseded.abort();
    expect((await reloaded).outcome).toMatchObject({ kind: 'unreachable' });
  });
});

describe('the last good set', () => {
  test('is told to containers that may have read the refused one, and to no other', async () => {
    const { clock, reloader, told, request } = reloaderWith({ a: many(away('no handler')), b: [] });
    const reloaded = reloader.reload(request());
    await clock.advance(31_000);
    await reloaded;
    told.length = 0;
    expect(await reloader.tell(request())).toEqual(succeeded);
    expect(told).toEqual(['b']);
  });

  test('is told to all containers after a restart of the agent', async () => {
    const { reloader, told, request } = reloaderWith({ a: [], b: [] });
    expect(await reloader.tell(request())).toEqual(succeeded);
    expect(told).toEqual(['a', 'b']);
  });

  test('is not in place when a container does not answer in time', async () => {
    const { clock, reloader, request } = reloaderWith({ a: [refused('no'), ...many(away('gone'))] });
    await reloader.reload(request());
    const told = reloader.tell(request());
    await clock.advance(11_000);
    expect(await told).toMatchObject({ kind: 'unreachable', message: 'container a: gone' });
  });
});

test('an unknown signal is a refusal', async () => {
  const { reloader, request } = reloaderWith(
    {},
    {
      reload: [{ container: 'a', action: { by: 'signal', signal: 'SIGNONE' } }],
      hooksOf: () => [],
    },
  );
  expect((await reloader.reload(request())).outcome).toMatchObject({
    message: 'container a: SIGNONE is not a signal',
  });
});
