import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { resourceQuota } from '../objects.ts';
import { conflict, invalid, modified, type Refusal, refused, refuses } from '../statuses.ts';
import { asTable, cells, columns } from '../table-objects.ts';
import type { Target } from '../target.ts';

const bad = (...causes: string[]) => invalid('ResourceQuota', 'bad', ...causes);
const hard = (name: string, amount = '1') => ({ hard: { [name]: amount } });
const scoped = (expression: object, more: object = {}) => ({
  hard: { pods: '1' },
  scopeSelector: { matchExpressions: [expression] },
  ...more,
});
const mustExist =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

const badQuotas: [why: string, spec: object, expected: Refusal][] = [
  [
    'a name that Kubernetes does not know',
    hard('foo'),
    bad(
      'spec.hard[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
      'spec.hard[foo]: Invalid value: "foo": must be a standard resource for quota',
    ),
  ],
  [
    'a name that is not for quotas',
    hard('storage'),
    bad('spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota'),
  ],
  ['half a pod', hard('pods', '1.5'), bad('spec.hard[pods]: Invalid value: "1500m": must be an integer')],
  [
    'half a Deployment',
    hard('count/deployments.apps', '0.5'),
    bad('spec.hard[count/deployments.apps]: Invalid value: "500m": must be an integer'),
  ],
  [
    'less than nothing',
    hard('requests.cpu', '-1'),
    bad('spec.hard[requests.cpu]: Invalid value: "-1": must be greater than or equal to 0'),
  ],
  [
    'a scope that is none',
    { ...hard('pods'), scopes: ['Nope'] },
    bad('spec.scopes: Invalid value: ["Nope"]: unsupported scope'),
  ],
  [
    'services that are best effort',
    { ...hard('services'), scopes: ['BestEffort'] },
    bad('spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource'),
  ],
  [
    'CPU of pods that ask for none',
    { ...hard('requests.cpu'), scopes: ['BestEffort'] },
    bad('spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource'),
  ],
  [
    'scopes that contradict each other',
    { ...hard('pods'), scopes: ['Terminating', 'NotTerminating'] },
    bad('spec.scopes: Invalid value: ["Terminating","NotTerminating"]: conflicting scopes'),
  ],
  [
    'a selector of a scope that is none, without values',
    scoped({ scopeName: 'Nope', operator: 'In' }),
    bad(
      'spec.scopeSelector.matchExpressions.scopeName: Invalid value: "Nope": unsupported scope',
      "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
    ),
  ],
  [
    'values of a scope that has none',
    scoped({ scopeName: 'Terminating', operator: 'In', values: ['a'] }),
    bad(`spec.scopeSelector.matchExpressions.operator: Invalid value: "In": ${mustExist}`),
  ],
  [
    'values where there must only be one',
    scoped({ scopeName: 'PriorityClass', operator: 'Exists', values: ['a'] }),
    bad(
      `spec.scopeSelector.matchExpressions.values: Invalid value: ["a"]: must be no value when \`operator\` is 'Exist' or 'DoesNotExist' for scope selector`,
    ),
  ],
  [
    'an operator that is none',
    scoped({ scopeName: 'PriorityClass', operator: 'Like', values: ['a'] }),
    bad('spec.scopeSelector.matchExpressions.operator: Invalid value: "Like": not a valid selector operator'),
  ],
  [
    'services of a priority',
    scoped({ scopeName: 'PriorityClass', operator: 'In', values: ['a'] }, hard('services')),
    bad(
      'spec.scopeSelector.matchExpressions: Invalid value: {"MatchExpressions":[{"ScopeName":"PriorityClass","Operator":"In","Values":["a"]}]}: unsupported scope applied to resource',
    ),
  ],
];

/** Waits until the quota controller has computed the status. */
const counted = ({ api, core }: Target, name: string) =>
  waitFor(`${name} is counted`, async () => {
    const { body, text } = await api.get(core(`resourcequotas/${name}`));
    const { hard: limits } = (body['status'] ?? {}) as { hard?: object };
    return limits === undefined ? { seen: text } : { met: body };
  });

contract('resource quotas', (it) => {
  for (const [why, spec, expected] of badQuotas)
    it(
      `${why} is refused`,
      refuses(({ api, core }) => api.post(core('resourcequotas'), resourceQuota('bad', spec)), expected),
    );

  it('one that limits nothing is taken', async ({ api, core }) => {
    const { code, body } = await api.post(core('resourcequotas'), resourceQuota('empty', {}));
    expect([code, body['spec'], body['status']]).toEqual([201, {}, {}]);
  });

  it('amounts are written as Kubernetes writes them, and a status that is sent is not kept', async (target) => {
    const { api, core } = target;
    const spec = { hard: { 'requests.cpu': '1000m', 'requests.memory': '0.5Gi', 'example.com/thing': '3' } };
    const { code, body } = await api.post(core('resourcequotas'), {
      ...resourceQuota('amounts', spec),
      status: { used: { pods: '7' } },
    });
    expect([code, body['spec'], body['status']]).toEqual([
      201,
      { hard: { 'requests.cpu': '1', 'requests.memory': '512Mi', 'example.com/thing': '3' } },
      {},
    ]);
  });

  it('requests above limits are a reason to warn', async ({ api, core }) => {
    const spec = { hard: { cpu: '2', 'limits.cpu': '1', 'requests.memory': '1Gi', 'limits.memory': '1Gi' } };
    const { headers } = await api.post(core('resourcequotas'), resourceQuota('warned', spec), {
      query: { dryRun: 'All' },
    });
    expect(headers['warning']).toBe('299 - "ResourceQuota cpu (2) should be less than limits.cpu (1)"');
  });

  it('its amounts may change, and its scopes may not', async (target) => {
    const { api, core } = target;
    await api.post(
      core('resourcequotas'),
      resourceQuota('changing', { ...hard('pods', '100'), scopes: ['BestEffort'] }),
    );
    const path = core('resourcequotas/changing');
    const more = await api.patch(path, 'merge', { spec: { hard: { pods: '200' } } });
    expect([more.code, more.body['spec']]).toEqual([200, { hard: { pods: '200' }, scopes: ['BestEffort'] }]);
    refused(
      target,
      await api.patch(path, 'merge', { spec: { scopes: ['Terminating'] } }),
      invalid('ResourceQuota', 'changing', 'spec.scopes: Invalid value: ["Terminating"]: field is immutable'),
    );
  });

  it('its status has a place of its own, and rules', async (target) => {
    const { api, core } = target;
    await api.post(core('resourcequotas'), resourceQuota('status', hard('secrets', '100')));
    await counted(target, 'status');
    const path = core('resourcequotas/status/status');
    refused(
      target,
      await api.patch(path, 'merge', { status: { used: { pods: '0.5' } } }),
      invalid('ResourceQuota', 'status', 'status.used[pods]: Invalid value: "500m": must be an integer'),
    );
    const { body } = await api.get(core('resourcequotas/status'));
    const stale = { ...body, metadata: { ...body.metadata, resourceVersion: '1' } };
    refused(target, await api.put(path, stale), conflict('resourcequotas', 'status', modified));
    const { body: patched } = await api.patch(path, 'merge', {
      status: { used: { secrets: '3' } },
      spec: {},
    });
    expect([patched['spec'], patched['status']]).toEqual([
      { hard: { secrets: '100' } },
      { hard: { secrets: '100' }, used: { secrets: '3' } },
    ]);
  });

  it('its table tells what is used of what, limits apart', async (target) => {
    const { api, core } = target;
    const spec = {
      hard: { pods: '9', 'limits.cpu': '7', 'limits.memory': '8Gi', 'count/leases.coordination.k8s.io': '4' },
    };
    await api.post(core('resourcequotas'), resourceQuota('shown', spec));
    const { body } = await counted(target, 'shown').then(() =>
      api.patch(core('resourcequotas/shown/status'), 'merge', {
        status: { used: { pods: '2', 'limits.cpu': '500m', 'count/leases.coordination.k8s.io': '1' } },
      }),
    );
    expect(body['status']).toBeDefined();
    const shown = await api.get(core('resourcequotas/shown'), { headers: asTable });
    expect(columns(shown)).toBe('Name Request Limit Age');
    expect(cells(shown)).toEqual([
      [
        'shown',
        'count/leases.coordination.k8s.io: 1/4, pods: 2/9',
        'limits.cpu: 500m/7, limits.memory: 0/8Gi',
        'AGE',
      ],
    ]);
  });

  it('a deletion answers what is gone', async ({ api, core }) => {
    await api.post(core('resourcequotas'), resourceQuota('gone', {}));
    const { code, body } = await api.delete(core('resourcequotas/gone'));
    expect([code, body.kind]).toEqual([200, 'ResourceQuota']);
  });
});
