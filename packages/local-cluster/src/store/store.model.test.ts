import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Store } from './store.ts';
import { RevisionCompacted, StoreConflict, type StoreEvent } from './stored.ts';

/** The reference model of the store: keeps a complete copy of every past state. */
class Model {
  revision = 0;
  compacted = 0;
  readonly states: Map<
    string,
    { value: string; revision: number; createRevision: number; version: number }
  >[] = [new Map()];
  /** Time at which each revision was written. */
  readonly moments: number[] = [];
  readonly events: { type: string; key: string; revision: number; before: string | undefined }[] = [];

  get now() {
    return this.states[this.revision] ?? new Map();
  }

  put(key: string, value: string): void {
    const before = this.now.get(key);
    const revision = this.#next('put', key, before?.value);
    const createRevision = before?.createRevision ?? revision;
    this.now.set(key, { value, revision, createRevision, version: (before?.version ?? 0) + 1 });
  }

  delete(key: string): void {
    this.#next('delete', key, this.now.get(key)?.value);
    this.now.delete(key);
  }

  #next(type: string, key: string, before: string | undefined): number {
    this.states.push(new Map(this.now));
    this.revision += 1;
    this.events.push({ type, key, revision: this.revision, before });
    return this.revision;
  }
}

const keys = ['/registry/a/x', '/registry/a/y', '/registry/a/y2', '/registry/b/x'];
const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), key: fc.constantFrom(...keys) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), key: fc.constantFrom(...keys) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const), back: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('stale' as const), key: fc.constantFrom(...keys) }) },
);

describe('the store against a model that keeps everything', () => {
  test('agrees on every state, past states, changes and conflicts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 40 }), async (commands) => {
        const clock = new ManualClock();
        const store = new Store({ file: ':memory:', clock });
        const model = new Model();
        const seen: StoreEvent[] = [];
        store.watch(0, (event) => seen.push(event));
        for (const each of commands) {
          await clock.advance(1);
          await run(store, model, clock, each);
          agree(store, model);
        }
        expect(seen.map(told)).toEqual(model.events);
        store.close();
      }),
    );
  });
});

async function run(store: Store, model: Model, clock: ManualClock, step: Command): Promise<void> {
  if (step.do === 'compact') {
    // Each change has its own millisecond, so the time identifies the revision.
    const upTo = Math.max(0, model.revision - step.back);
    const moment = model.moments[upTo + 1] ?? clock.now() + 1;
    model.compacted = Math.max(model.compacted, upTo);
    expect(store.compactBefore(moment)).toBe(model.compacted);
    return;
  }
  const { key } = step;
  const found = model.now.get(key);
  if (step.do === 'stale') {
    const expected = found === undefined ? 7_777 : found.revision + 1;
    const stale = store.write({ type: 'put', key, expect: expected, render: () => 'never' });
    await expect(stale).rejects.toThrow(StoreConflict);
    return;
  }
  if (step.do === 'delete' && found === undefined) return;
  const value = `${key} at ${model.revision + 1}`;
  const change = { type: step.do, key, expect: found?.revision ?? ('absent' as const) };
  const stored = await store.write({ ...change, render: (revision) => `${key} at ${revision}` });
  expect(stored.value).toBe(value);
  model.moments[model.revision + 1] = clock.now();
  if (step.do === 'put') model.put(key, value);
  else model.delete(key);
}

type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

function agree(store: Store, model: Model): void {
  expect(store.revision).toBe(model.revision);
  for (const key of keys) {
    const stored = store.get(key);
    expect(stored && withoutKey(stored)).toEqual(model.now.get(key));
  }
  for (let at = 0; at <= model.revision; at++) {
    const list = () => store.list('/registry/a/', { at }).items.map(({ key, value }) => [key, value]);
    if (at < model.compacted) expect(list).toThrow(RevisionCompacted);
    else expect(list()).toEqual(stateAt(model, at));
  }
}

function stateAt(model: Model, at: number): string[][] {
  return [...(model.states[at] ?? [])]
    .filter(([key]) => key.startsWith('/registry/a/'))
    .map(([key, { value }]) => [key, value])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
}

function withoutKey({ key: _, ...rest }: { key: string }) {
  return rest;
}

function told({ type, revision, now, before }: StoreEvent) {
  return { type, key: now.key, revision, before: before()?.value };
}
