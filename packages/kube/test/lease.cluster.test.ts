import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { FaultProxy } from '@trimtab/test-bed/fault-proxy/server.ts';
import { role, roleBinding } from '@trimtab/test-bed/objects/rights.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ClusterAccess } from '../src/access.ts';
import type { KubeClient } from '../src/client.ts';
import type { Lease } from '../src/lease/record.ts';
import { type Candidacy, runAsLeader } from '../src/lease/run-as-leader.ts';
import { silentLogger } from '../src/log/silent-logger.ts';
import { leases } from '../src/resource.ts';
import { httpClient } from '../src/transport/http-client.ts';

/** Long, so the leader keeps the Lease on a busy machine, where a renewal may take seconds. */
const lasting = { leaseDurationMs: 30_000, renewDeadlineMs: 20_000, retryPeriodMs: 200 };
/** Short, so a takeover does not take 15 s. No test depends on the duration of a takeover. */
const passing = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 200 };

let engine: Engine;
let admin: KubeClient;
let namespace: string;
let undo: (() => unknown)[];
/** Starts and stops of the candidates' work, in order. */
let diary: string[];

beforeAll(async () => {
  engine = await currentEngine();
  admin = await engine.connect();
  namespace = await engine.namespace();
});

beforeEach(() => {
  undo = [];
  diary = [];
});

afterEach(async () => {
  for (const step of undo.reverse()) await step();
  await admin.delete(leases, key()).catch(() => {});
});

afterAll(() => engine.close());

const key = () => ({ namespace, name: 'controller' });
const theLease = () => admin.get<Lease>(leases, key());
const holder = async () => (await theLease()).spec?.['holderIdentity'];

interface Player extends Candidacy {
  /** Ends the candidate like a process that shuts down gracefully. */
  retire(): Promise<void>;
  /** Ends the candidate like a process that is killed, or a node without network: no request reaches the server. */
  cutOff(): void;
}

/** A candidate with its own client. Its work adds entries to `diary`. */
async function candidate(name: string, access?: ClusterAccess, timing = lasting): Promise<Player> {
  const client = httpClient({ access: access ?? (await engine.access()), log: silentLogger });
  const shutdown = new AbortController();
  const options = {
    client,
    lease: key(),
    identity: name,
    timing,
    log: silentLogger,
    signal: shutdown.signal,
  };
  const candidacy = runAsLeader(options, async (signal) => {
    diary.push(`${name} starts`);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    diary.push(`${name} stops`);
  });
  const retire = async () => {
    shutdown.abort();
    await candidacy.ended;
    client.close();
  };
  undo.push(retire);
  return { ...candidacy, retire, cutOff: () => client.close() };
}

async function written(...entries: string[]): Promise<void> {
  await waitFor(`the diary to say: ${entries.join(', ')}`, async () =>
    entries.every((entry, index) => diary[index] === entry) ? { met: true } : { seen: diary.join(', ') },
  );
}

async function sees(who: Player, leader: string): Promise<void> {
  await waitFor(`${who.identity} to see that ${leader} leads`, async () =>
    who.leader() === leader ? { met: true } : { seen: `${who.leader()} leads` },
  );
}

async function renewedBy(name: string, since: Lease | undefined): Promise<Lease> {
  return waitFor(`${name} to renew the Lease`, async () => {
    const lease = await theLease();
    const isNew = lease.metadata.resourceVersion !== since?.metadata.resourceVersion;
    return lease.spec?.['holderIdentity'] === name && isNew
      ? { met: lease }
      : { seen: JSON.stringify(lease) };
  });
}

describe('two candidates', () => {
  it('one leads, the other takes over when the Lease is given back', async () => {
    const anna = await candidate('anna');
    await written('anna starts');
    const bert = await candidate('bert');
    await sees(bert, 'anna');
    await anna.retire();
    await written('anna starts', 'anna stops', 'bert starts');
    expect((await theLease()).spec).toMatchObject({ holderIdentity: 'bert', leaseTransitions: 1 });
  });

  it('one is cut off: its work stops before the other starts', async () => {
    const anna = await candidate('anna', undefined, passing);
    await written('anna starts');
    const bert = await candidate('bert', undefined, passing);
    await sees(bert, 'anna');
    anna.cutOff();
    await written('anna starts', 'anna stops', 'bert starts');
    expect(await holder()).toBe('bert');
  });

  it('a Lease that is deleted changes nothing: its holder makes it anew', async () => {
    await candidate('anna');
    await written('anna starts');
    const bert = await candidate('bert');
    await sees(bert, 'anna');
    const before = await theLease();
    await admin.delete(leases, key());
    const after = await renewedBy('anna', before);
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    await renewedBy('anna', after);
    expect(diary).toEqual(['anna starts']);
  });

  it('five at once: one wins', async () => {
    const players = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => candidate(name)));
    const winner = await waitFor('somebody to lead', async () => {
      const [entry] = diary;
      return entry === undefined ? { seen: 'nobody' } : { met: entry.replace(' starts', '') };
    });
    for (const player of players) await sees(player, winner);
    expect(diary).toEqual([`${winner} starts`]);
  });
});

it('kubectl shows who leads', async () => {
  await candidate('anna');
  await written('anna starts');
  const { stdout } = await kubectl(engine, ['get', 'lease', 'controller'], { namespace });
  expect(stdout).toMatch(/controller +anna/);
});

it('a Lease that says nothing is taken, and what others wrote on it stays', async () => {
  const metadata = { ...key(), labels: { team: 'shop' } };
  await admin.create(leases, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata });
  await candidate('anna');
  await written('anna starts');
  expect((await theLease()).metadata.labels).toEqual({ team: 'shop' });
});

it('a Lease of somebody who wrote no duration is taken when ours is over', async () => {
  const spec = { holderIdentity: 'nobody knows' };
  await admin.create<Lease>(leases, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: key(),
    spec,
  });
  const anna = await candidate('anna', undefined, passing);
  await sees(anna, 'nobody knows');
  await written('anna starts');
});

it('without the right to, it waits; with it, it leads', async () => {
  const anna = await candidate('anna', await engine.access({ user: 'anna@example.com' }));
  await new Given(admin, namespace).objects(
    role('elections', ['get', 'create', 'update'], 'leases.coordination.k8s.io'),
    roleBinding('elections', { user: 'anna@example.com' }),
  );
  await written('anna starts');
  expect(anna.problem()).toBeUndefined();
});

describe('through a bad network', () => {
  let proxy: FaultProxy;
  let throughProxy: ClusterAccess;

  beforeEach(async () => {
    proxy = await FaultProxy.start({ access: await engine.access() });
    throughProxy = {
      server: proxy.url,
      namespace,
      tls: async () => ({}),
      headers: async () => ({}),
      invalidate() {},
    };
    undo.push(() => proxy.close());
  });

  it('renewals that stall end the work before another starts', async () => {
    const anna = await candidate('anna', throughProxy, passing);
    await written('anna starts');
    const bert = await candidate('bert', undefined, passing);
    await sees(bert, 'anna');
    proxy.inject({ when: { resource: 'leases' }, fault: { kind: 'stall', boundMs: 60_000 }, times: 1_000 });
    await written('anna starts', 'anna stops', 'bert starts');
    proxy.assertFired();
    expect(anna.problem()).toBeUndefined();
  });

  it.each([
    ['a renewal is lost', { kind: 'fail-before' }],
    ['the answer to a renewal is lost', { kind: 'fail-after' }],
    ['the server is busy', { kind: 'status', code: 429 }],
    ['the server fails', { kind: 'status', code: 500 }],
    ['somebody else wrote the Lease', { kind: 'status', code: 409 }],
  ] as const)('it goes on when %s', async (_story, fault) => {
    await candidate('anna', throughProxy);
    await written('anna starts');
    await proxy.inject({ when: { verb: 'update', resource: 'leases' }, fault }).fired;
    await renewedBy('anna', await theLease());
    expect(diary).toEqual(['anna starts']);
    expect((await theLease()).spec).toMatchObject({ leaseTransitions: 0 });
  });

  it('a lost answer to its first write does not keep it from leading', async () => {
    const injected = proxy.inject({
      when: { verb: 'create', resource: 'leases' },
      fault: { kind: 'fail-after' },
    });
    await candidate('anna', throughProxy);
    await injected.fired;
    await written('anna starts');
    expect((await theLease()).spec).toMatchObject({ leaseTransitions: 0 });
  });
});
