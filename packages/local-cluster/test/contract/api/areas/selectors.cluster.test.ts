import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { fruit, list, numbers } from '../fruit.ts';
import { nowhere, pod, secret, service } from '../objects.ts';
import { badRequest, type Refusal, refuses } from '../statuses.ts';
import { labelValue } from '../texts.ts';

const labelSelectors: [selector: string, found: string][] = [
  ['colour=red', '05'],
  ['colour==red', '05'],
  ['colour!=red', '12346789'],
  ['colour', '01235678'],
  ['!colour', '49'],
  ['colour=', '38'],
  ['colour in (red,green)', '0156'],
  ['colour notin (red, green)', '234789'],
  ['colour in (red),number=5', '5'],
  ['number>6', '789'],
  ['number<2', '01'],
  ['colour=no-such', ''],
];

const badLabelSelectors: [why: string, selector: string, expected: Refusal][] = [
  [
    'an operator that is none',
    'a ~ b',
    badRequest("unable to parse requirement: found '~', expected: in, notin, =, ==, !=, gt, lt"),
  ],
  [
    'an open parenthesis',
    'a in (b',
    badRequest("unable to parse requirement: found '', expected: ',' or ')'"),
  ],
  ['nothing between commas', 'a=b,,c=d', badRequest("found ',', expected: identifier after ','")],
  [
    'a bad key',
    'a b=c',
    badRequest("unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
  ],
  [
    'a bad value',
    'a=b/c',
    badRequest(`unable to parse requirement: values[0][a]: Invalid value: "b/c": ${labelValue}`),
  ],
  [
    'a bound that is no number',
    'a>b',
    badRequest(
      `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
    ),
  ],
  [
    'a key that is too long',
    `${'a'.repeat(64)}=b`,
    badRequest(
      `unable to parse requirement: <nil>: Invalid value: "${'a'.repeat(64)}": name part must be no more than 63 bytes`,
    ),
  ],
];

contract('selectors', (it) => {
  for (const [selector, found] of labelSelectors)
    it(`the label selector '${selector}' finds what it says`, async (target) => {
      expect(numbers(await list(target, { labelSelector: `${selector},set=fruit` }))).toBe(found);
    });

  for (const [why, labelSelector, expected] of badLabelSelectors)
    it(
      `a label selector with ${why} is refused`,
      refuses((target) => list(target, { labelSelector }), expected),
    );

  it('a field selector finds one by its name', async (target) => {
    expect(numbers(await list(target, { fieldSelector: 'metadata.name=fruit-4' }))).toBe('4');
  });

  it('a field selector excludes one by its name', async (target) => {
    const query = { fieldSelector: 'metadata.name!=fruit-4', labelSelector: 'set=fruit' };
    expect(numbers(await list(target, query))).toBe('012356789');
  });

  it('both selectors must hold', async (target) => {
    const query = { fieldSelector: 'metadata.name=fruit-4', labelSelector: 'colour=red' };
    expect(numbers(await list(target, query))).toBe('');
  });

  it('a field selector for the namespace works across namespaces', async (target) => {
    await fruit(target);
    const fieldSelector = `metadata.namespace=${target.namespace}`;
    const answer = await target.api.get('/api/v1/configmaps', {
      query: { fieldSelector, labelSelector: 'set=fruit' },
    });
    expect(numbers(answer)).toBe('0123456789');
  });

  it(
    'a field that cannot be selected is refused',
    refuses(
      (target) => list(target, { fieldSelector: 'data.n=1' }),
      badRequest('"data.n" is not a known field selector: only "metadata.name", "metadata.namespace"'),
    ),
  );

  it(
    'a field selector without a value is refused',
    refuses(
      (target) => list(target, { fieldSelector: 'metadata.name' }),
      badRequest("invalid selector: 'metadata.name'; can't understand 'metadata.name'"),
    ),
  );

  it('pods are found by node, phase and the rest of their fields', async (target) => {
    const { api, core } = target;
    const node = nowhere(target);
    await api.post(core('pods'), pod('waiting'));
    await api.post(core('pods'), pod('placed', { nodeName: node }));
    const names = async (fieldSelector: string) =>
      (await api.get(core('pods'), { query: { fieldSelector } })).body.items.map(
        ({ metadata }) => metadata.name,
      );
    expect(await names(`spec.nodeName=${node}`)).toEqual(['placed']);
    expect(await names('spec.nodeName=')).toEqual(['waiting']);
    expect(await names('status.phase=Pending,spec.schedulerName=nobody')).toEqual(['placed', 'waiting']);
    expect(await names('spec.restartPolicy=Always,spec.serviceAccountName=default')).toEqual([
      'placed',
      'waiting',
    ]);
    expect(await names('status.phase=Running')).toEqual([]);
  });

  it(
    'a field of pods that cannot be selected is refused',
    refuses(
      ({ api, core }) => api.get(core('pods'), { query: { fieldSelector: 'spec.priority=1' } }),
      badRequest('field label not supported: spec.priority'),
    ),
  );

  it('Secrets are found by type', async ({ api, core }) => {
    await api.post(core('secrets'), secret('plain'));
    await api.post(core('secrets'), secret('special', { type: 'example.com/special' }));
    const query = { fieldSelector: 'type=example.com/special' };
    const { body } = await api.get(core('secrets'), { query });
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual(['special']);
  });

  it('Events are found by what they are about', async ({ api, core, namespace }) => {
    const event = (name: string, about: string) => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name },
      involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: about },
      reason: 'Tested',
      type: 'Normal',
      source: { component: 'suite' },
    });
    await api.post(core('events'), event('about-a', 'a'));
    await api.post(core('events'), event('about-b', 'b'));
    const query = {
      fieldSelector: 'involvedObject.name=b,involvedObject.kind=ConfigMap,reason=Tested,type=Normal',
    };
    const { body } = await api.get(core('events'), { query });
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual(['about-b']);
  });

  it('Services are found by type', async ({ api, core }) => {
    await api.post(core('services'), service('headless', { clusterIP: 'None', selector: { a: 'b' } }));
    const { body } = await api.get(core('services'), {
      query: { fieldSelector: 'spec.clusterIP=None,spec.type=ClusterIP' },
    });
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual(['headless']);
  });

  it(
    'Deployments are not found by their fields',
    refuses(
      ({ api, apps }) => api.get(apps('deployments'), { query: { fieldSelector: 'spec.paused=true' } }),
      badRequest('"spec.paused" is not a known field selector: only "metadata.name", "metadata.namespace"'),
    ),
  );
});
