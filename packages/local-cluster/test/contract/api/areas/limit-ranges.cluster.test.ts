import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { contract } from '../contract.ts';
import type { Answer } from '../http.ts';
import { limitRange, pod } from '../objects.ts';
import { forbidden, invalid, type Refusal, refused, refuses } from '../statuses.ts';
import { asTable, columns } from '../table-objects.ts';
import type { Target } from '../target.ts';

const bad = (...causes: string[]) => invalid('LimitRange', 'bad', ...causes);

const badRanges: [why: string, limits: object[], expected: Refusal][] = [
  [
    'a type that is none',
    [{ type: 'Foo' }],
    bad('spec.limits[0].type: Invalid value: "Foo": must be a standard limit type or fully qualified'),
  ],
  ['a type twice', [{ type: 'Pod' }, { type: 'Pod' }], bad('spec.limits[1].type: Duplicate value: "Pod"')],
  [
    'defaults of a pod',
    [{ type: 'Pod', default: { cpu: '1' }, defaultRequest: { cpu: '1' } }],
    bad(
      "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
      "spec.limits[0].defaultRequest: Forbidden: may not be specified when `type` is 'Pod'",
    ),
  ],
  [
    'a resource that containers do not have',
    [{ type: 'Pod', max: { pods: '1' } }],
    bad('spec.limits[0].max[pods]: Invalid value: "pods": must be a standard resource for containers'),
  ],
  [
    'a least above the most',
    [{ type: 'Container', min: { cpu: '3' }, max: { cpu: '2' } }],
    bad(
      'spec.limits[0].min[cpu]: Invalid value: "3": min value 3 is greater than max value 2',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "2": min value 3 is greater than default request value 2',
      'spec.limits[0].default[cpu]: Invalid value: "3": min value 3 is greater than default value 2',
    ),
  ],
  [
    'defaults above the most',
    [{ type: 'Container', default: { cpu: '3' }, max: { cpu: '2' }, defaultRequest: { cpu: '4' } }],
    bad(
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "4": default request value 4 is greater than max value 2',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "4": default request value 4 is greater than default limit value 3',
      'spec.limits[0].default[cpu]: Invalid value: "2": default value 3 is greater than max value 2',
    ),
  ],
  [
    'a ratio below one',
    [{ type: 'Container', maxLimitRequestRatio: { cpu: '0.5' } }],
    bad('spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1'),
  ],
  [
    'a ratio that cannot be',
    [{ type: 'Container', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '5' } }],
    bad(
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "5": ratio 5 is greater than max/min = 2.000000',
    ),
  ],
  [
    'half of what cannot be shared',
    [{ type: 'Container', default: { 'test.dev/gpu': '2' }, defaultRequest: { 'test.dev/gpu': '1' } }],
    bad(
      'spec.limits[0].defaultRequest[test.dev/gpu]: Invalid value: "1": default value 2 must equal to defaultRequest value 1 in test.dev/gpu',
    ),
  ],
  [
    'storage without a bound',
    [{ type: 'PersistentVolumeClaim' }],
    bad(
      'spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
    ),
  ],
];

type Amounts = Record<string, string>;

const container = (resources: { requests?: Amounts; limits?: Amounts }, name = 'app') => ({
  name,
  image: 'app:1',
  resources,
});
const asking = (...all: { requests?: Amounts; limits?: Amounts }[]) => ({
  containers: all.map((each, index) => container(each, `c${index}`)),
});

/** Creates a namespace with the limits; returns a function that requests a pod in it. */
async function limited(target: Target, ...limits: object[]) {
  const { api, engine } = target;
  const home = `/api/v1/namespaces/${await engine.namespace()}`;
  const { code, text } = await api.post(`${home}/limitranges`, limitRange('l', limits));
  if (code !== 201) throw new Error(text);
  const ask = (spec: object) => api.post(`${home}/pods`, pod('p', spec), { query: { dryRun: 'All' } });
  // Kubernetes' admission plugin observes limits with a delay.
  return (spec: object, isAnswer: (answer: Answer) => boolean) =>
    waitFor('the limits hold', async () => {
      const answer = await ask(spec);
      return isAnswer(answer) ? { met: answer } : { seen: answer.text };
    });
}

const note = ({ body }: Answer) => body.metadata?.annotations?.['kubernetes.io/limit-ranger'];
const isRefused = ({ code }: Answer) => code === 403;

const badPods: [why: string, limit: object, spec: object, said: string][] = [
  [
    'less than the least',
    { type: 'Container', min: { cpu: '100m' } },
    asking({ requests: { cpu: '50m' } }),
    'minimum cpu usage per Container is 100m, but request is 50m',
  ],
  [
    'a limit above the most',
    { type: 'Container', max: { memory: '1Gi' } },
    asking({ limits: { memory: '2Gi' } }),
    'maximum memory usage per Container is 1Gi, but limit is 2Gi',
  ],
  [
    'a limit too far above the request',
    { type: 'Container', maxLimitRequestRatio: { cpu: '1500m' } },
    asking({ requests: { cpu: '300m' }, limits: { cpu: '1' } }),
    'cpu max limit to request ratio per Container is 1500m, but provided ratio is 3.333333',
  ],
  [
    'no request, where there is a ratio',
    { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
    asking({}),
    'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
  ],
  [
    'no limit, where there is a ratio',
    { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
    asking({ requests: { cpu: '1' } }),
    'cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0',
  ],
  [
    'too much in all containers together',
    { type: 'Pod', max: { cpu: '1' } },
    asking({ limits: { cpu: '600m' } }, { limits: { cpu: '600m' } }),
    'maximum cpu usage per Pod is 1, but limit is 1200m',
  ],
  [
    'no limit of the pod',
    { type: 'Pod', max: { cpu: '1' } },
    asking({ requests: { cpu: '600m' } }),
    'maximum cpu usage per Pod is 1.  No limit is specified',
  ],
  [
    'too little in all containers together',
    { type: 'Pod', min: { memory: '1Gi' } },
    asking({}),
    'minimum memory usage per Pod is 1Gi.  No request is specified',
  ],
  [
    'two things at once, each told once',
    { type: 'Container', max: { cpu: '1' }, maxLimitRequestRatio: { cpu: '2' } },
    asking(
      { requests: { cpu: '1' }, limits: { cpu: '3' } },
      { requests: { cpu: '1' }, limits: { cpu: '3' } },
    ),
    '[maximum cpu usage per Container is 1, but limit is 3, cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000]',
  ],
  [
    'an init container beyond its limits',
    { type: 'Container', max: { cpu: '1' } },
    { initContainers: [container({ limits: { cpu: '2' } }, 'init')] },
    'maximum cpu usage per Container is 1, but limit is 2',
  ],
];

contract('limit ranges', (it) => {
  for (const [why, limits, expected] of badRanges)
    it(
      `${why} is refused`,
      refuses(({ api, core }) => api.post(core('limitranges'), limitRange('bad', limits)), expected),
    );

  it('what is left out follows from what is said', async ({ api, core }) => {
    const limits = [
      {
        type: 'Container',
        max: { cpu: '2' },
        min: { cpu: '100m', memory: '1Mi' },
        default: { memory: '1Gi' },
      },
      { type: 'Pod', max: { cpu: '4' } },
    ];
    const { body } = await api.post(core('limitranges'), limitRange('filled', limits), {
      query: { dryRun: 'All' },
    });
    expect(body['spec']).toEqual({
      limits: [
        {
          ...limits[0],
          default: { cpu: '2', memory: '1Gi' },
          defaultRequest: { cpu: '2', memory: '1Gi' },
        },
        limits[1],
      ],
    });
  });

  it('PUT of one that is not there makes it, and its table is the plain one', async ({ api, core }) => {
    const path = core('limitranges/put');
    const { code } = await api.put(path, limitRange('put', []));
    expect([code, columns(await api.get(path, { headers: asTable }))]).toEqual([201, 'Name Created At']);
  });

  it('containers get what is usual, and a note tells what', async (target) => {
    const ask = await limited(target, {
      type: 'Container',
      default: { cpu: '1', memory: '100Mi' },
      defaultRequest: { cpu: '500m' },
    });
    const { body } = await ask(
      {
        ...asking({}, { requests: { cpu: '200m' }, limits: { cpu: '2', memory: '1Gi' } }),
        initContainers: [container({ limits: { memory: '2Gi' } }, 'init')],
      },
      (answer) => note(answer) !== undefined,
    );
    expect(note({ body } as Answer)).toBe(
      'LimitRanger plugin set: cpu, memory request for container c0; cpu, memory limit for container c0; cpu request for init container init; cpu limit for init container init',
    );
    const { containers, initContainers } = body['spec'] as Record<string, { resources: object }[]>;
    expect([...(containers ?? []), ...(initContainers ?? [])].map(({ resources }) => resources)).toEqual([
      { limits: { cpu: '1', memory: '100Mi' }, requests: { cpu: '500m', memory: '100Mi' } },
      { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '200m', memory: '1Gi' } },
      { limits: { cpu: '1', memory: '2Gi' }, requests: { cpu: '500m', memory: '2Gi' } },
    ]);
    expect(body['status']).toMatchObject({ qosClass: 'Burstable' });
  });

  for (const [why, limit, spec, said] of badPods)
    it(`a pod is refused: ${why}`, async (target) => {
      const ask = await limited(target, limit);
      refused(target, await ask(spec, isRefused), forbidden('pods', 'p', said));
    });
});
