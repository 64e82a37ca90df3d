import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { expect, test, vi } from 'vitest';
import { BodyBudget } from './limits/body-budget.ts';
import { CallerSlots } from './limits/caller-slots.ts';
import { Turns } from './limits/turns.ts';
import { UnsentBudget } from './limits/unsent-budget.ts';
import type { Route } from './route/route.ts';
import { serveRoute } from './serve-route.ts';

const document = { operationId: 'any', summary: '', answers: {} };

/** Serves one request, and returns how many turns it took and how many slots it had. */
async function serve(
  route: Pick<Route, 'method' | 'cost' | 'handle'>,
  {
    query = '',
    type = 'application/json',
    body = '',
    slots = new CallerSlots(),
    signal = new AbortController().signal,
    authenticate = async () => 'pod u',
  } = {},
) {
  const turns = new Turns();
  const [slot, turn] = [vi.spyOn(slots, 'take'), vi.spyOn(turns, 'take')];
  const incoming = new PassThrough();
  incoming.end(body);
  await serveRoute(
    { budget: new BodyBudget(), slots, turns, clock: new ManualClock() },
    {
      match: { route: { path: '/a', document, servesPods: true, ...route }, parameters: {} },
      query: new URLSearchParams(query),
      caller: { is: 'pod', namespace: 'a', name: 'web', uid: 'u' },
      authenticate,
      signal,
      incoming: Object.assign(incoming, { headers: { 'content-type': type } }) as unknown as IncomingMessage,
      response: new PassThrough() as unknown as ServerResponse,
      failed() {},
      unsent: new UnsentBudget().open('a', '192.0.2.1'),
    },
  );
  return { turns: turn.mock.calls.length, slots: slot.mock.calls.length };
}

test.each([
  ['JSON of 20 kB', 'application/json', 20_000, 1],
  ['JSON of 1 kB', 'application/json', 1_000, 0],
  ['YAML of 1 kB', 'application/yaml', 1_000, 1],
  ['YAML of 100 bytes', 'application/yaml', 100, 0],
])('to parse a body, %s takes as many turns: %i', async (_, type, length, turns) => {
  const route: Parameters<typeof serve>[0] = {
    method: 'POST',
    handle: async ({ readBody }) => {
      expect(await readBody()).toHaveLength(length);
      return 'answered';
    },
  };
  expect(await serve(route, { type, body: ' '.repeat(length) })).toEqual({ turns, slots: 0 });
});

test('the format that a body is parsed in decides, whatever its type is', async () => {
  const route: Parameters<typeof serve>[0] = {
    method: 'PUT',
    handle: async ({ readBody }) => {
      await readBody(10_000, 'yaml');
      return 'answered';
    },
  };
  expect(await serve(route, { body: ' '.repeat(1_000) })).toEqual({ turns: 1, slots: 0 });
});

test.each([
  ['expensive', '', 1],
  ['expensive-dry-run', 'dryRun=All', 1],
  ['expensive-dry-run', 'dryRun=&wait=10m', 0],
  ['expensive-dry-run', '', 0],
  ['expensive-purge', 'purge=true', 1],
  ['expensive-purge', 'dryRun=All', 0],
  [undefined, 'dryRun=All', 0],
] as const)(
  'a request to a route of cost %s with the query %s takes as many slots: %i',
  async (cost, query, slots) => {
    const handle = async () => 'answered' as const;
    for (const method of ['GET', 'PUT'] as const)
      expect(await serve({ method, handle, ...(cost && { cost }) }, { query })).toEqual({ turns: 0, slots });
  },
);

test('a client that leaves while it is authenticated, or while it waits for a slot, has no slot afterwards', async () => {
  const slots = new CallerSlots({ runningPerCaller: 1, waitingPerCaller: 1 });
  const handle = vi.fn(async () => 'answered' as const);
  const route = { method: 'PUT', cost: 'expensive', handle } as const;
  const left = new AbortController();
  const leaving = async () => {
    left.abort(new Error('the client disconnected'));
    return 'pod u';
  };
  await expect(serve(route, { slots, signal: left.signal, authenticate: leaving })).rejects.toBe(
    left.signal.reason,
  );
  const release = await slots.take('pod u', new AbortController().signal);
  const other = new AbortController();
  const waiting = serve(route, { slots, signal: other.signal });
  await vi.waitFor(() => expect(slots.waiting).toBe(1));
  release();
  other.abort(new Error('the client disconnected'));
  await expect(waiting).rejects.toBe(other.signal.reason);
  expect(handle).not.toHaveBeenCalled();
  (await slots.take('pod u', new AbortController().signal))();
});
