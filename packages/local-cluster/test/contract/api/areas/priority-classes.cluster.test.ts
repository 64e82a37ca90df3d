import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { pod } from '../objects.ts';
import { forbidden, invalid, type Refusal, refused, refuses } from '../statuses.ts';
import { asTable, cells, columns } from '../table-objects.ts';
import type { Target } from '../target.ts';

const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
const priorityClass = (name: string, more: object = {}) => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value: 1000,
  ...more,
});
const bad = (name: string, ...causes: string[]) =>
  invalid('PriorityClass.scheduling.k8s.io', name, ...causes);
const reserved = "priority class names with 'system-' prefix are reserved for system use only. error:";

const badClasses: [why: string, object: { metadata: { name: string } }, causes: string[]][] = [
  [
    'a name of the system',
    priorityClass('system-mine'),
    [`metadata.name: Forbidden: ${reserved} system-mine is not a known system priority class`],
  ],
  [
    'a class of the system with another value',
    priorityClass('system-node-critical'),
    [`metadata.name: Forbidden: ${reserved} value of system-node-critical PriorityClass must be 2000001000`],
  ],
  [
    'more than anybody may have',
    priorityClass('huge', { value: 1_000_000_001 }),
    ['value: Forbidden: maximum allowed value of a user defined priority is 1000000000'],
  ],
  [
    'a policy that is none',
    priorityClass('odd', { preemptionPolicy: 'Maybe' }),
    ['preemptionPolicy: Unsupported value: "Maybe": supported values: "PreemptLowerPriority", "Never"'],
  ],
];

/** Creates a PriorityClass for the area; returns its name. */
async function made(target: Target, suffix: string, more: object = {}): Promise<string> {
  const name = `${suffix}-${target.namespace}`;
  await target.createForAll(classes, priorityClass(name, more));
  return name;
}

const refusesPod = (spec: object, why: string): ((target: Target) => Promise<void>) =>
  refuses(({ api, core }) => api.post(core('pods'), pod('p', spec)), forbidden('pods', 'p', why));

contract('priority classes', (it) => {
  for (const [why, object, causes] of badClasses)
    it(`${why} is refused`, async (target) => {
      const expected: Refusal = bad(object.metadata.name, ...causes);
      refused(target, await target.api.post(classes, object, { query: { dryRun: 'All' } }), expected);
    });

  it('those of the system are there', async ({ api }) => {
    const answer = await api.get(`${classes}/system-node-critical`, { headers: asTable });
    expect(columns(answer)).toBe('Name Value Global-Default Age PreemptionPolicy');
    expect(cells(answer)[0]?.slice(0, 3)).toEqual(['system-node-critical', 2_000_001_000, false]);
    const { body } = await api.get(`${classes}/system-cluster-critical`);
    expect(body).toMatchObject({
      value: 2_000_000_000,
      preemptionPolicy: 'PreemptLowerPriority',
      metadata: { generation: 1 },
    });
  });

  it('its value stays what it is', async (target) => {
    const name = await made(target, 'fixed');
    const path = `${classes}/${name}`;
    refused(
      target,
      await target.api.patch(path, 'merge', { value: 5, preemptionPolicy: 'Never' }),
      bad(
        'fixed-NAMESPACE',
        'value: Forbidden: may not be changed in an update.',
        'preemptionPolicy: Invalid value: "Never": field is immutable',
      ),
    );
    const { code, body } = await target.api.patch(path, 'merge', { description: 'for tests' });
    expect([code, body['description'], body.metadata.generation]).toEqual([200, 'for tests', 1]);
  });

  it('a pod gets the priority of its class', async (target) => {
    const { api, core } = target;
    const name = await made(target, 'never', { preemptionPolicy: 'Never' });
    const { body } = await waitFor('admission knows the class', async () => {
      const found = await api.post(core('pods'), pod('p', { priorityClassName: name }), {
        query: { dryRun: 'All' },
      });
      return found.code === 201 ? { met: found } : { seen: found.text };
    });
    expect(body['spec']).toMatchObject({
      priority: 1000,
      priorityClassName: name,
      preemptionPolicy: 'Never',
    });
  });

  it('a pod without a class has none, and priority nothing', async ({ api, core }) => {
    const { body } = await api.post(core('pods'), pod('p'), { query: { dryRun: 'All' } });
    expect(body['spec']).toMatchObject({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
    expect(body['spec']).not.toHaveProperty('priorityClassName');
  });

  it(
    'a class that nobody has made is refused',
    refusesPod({ priorityClassName: 'nope' }, 'no PriorityClass with name nope was found'),
  );

  it(
    'a priority that is not that of the class is refused',
    refusesPod(
      { priority: 7, priorityClassName: 'system-cluster-critical' },
      'the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 2000000000 from the given PriorityClass name',
    ),
  );

  it(
    'a policy that is not that of the class is refused',
    refusesPod(
      { preemptionPolicy: 'Never' },
      'the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name',
    ),
  );
});
