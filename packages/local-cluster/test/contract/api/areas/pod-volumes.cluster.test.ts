import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { pod } from '../objects.ts';
import { invalid, refuses } from '../statuses.ts';
import { labelValue, qualifiedName } from '../texts.ts';

const items = (path: string, more: object = {}) => [{ key: 'k', path, ...more }];
const mode = 'must be a number between 0 and 0777 (octal), both inclusive';
const matchAll = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';

/** Fields are relative to `spec.volumes[0].`. */
const badVolumes: [why: string, volume: object, ...causes: string[]][] = [
  [
    'a file outside of it',
    { configMap: { name: 'c', items: items('/k') } },
    'configMap.items[0].path: Invalid value: "/k": must be a relative path',
  ],
  [
    'a file above it',
    { configMap: { name: 'c', items: items('..') } },
    `configMap.items[0].path: Invalid value: "..": must not contain '..'`,
    `configMap.items[0].path: Invalid value: "..": must not start with '..'`,
  ],
  [
    'a file among the kubelet’s own',
    { configMap: { name: 'c', items: items('..data') } },
    `configMap.items[0].path: Invalid value: "..data": must not start with '..'`,
  ],
  [
    'a key without a name and a file without one',
    { configMap: { name: 'c', items: [{ key: '', path: '' }] } },
    'configMap.items[0].key: Required value',
    'configMap.items[0].path: Required value',
  ],
  ['no ConfigMap', { configMap: {} }, 'configMap.name: Required value'],
  [
    'modes that are none',
    { configMap: { name: 'c', defaultMode: 5000, items: items('k', { mode: -1 }) } },
    `configMap.defaultMode: Invalid value: 5000: ${mode}`,
    `configMap.items[0].mode: Invalid value: -1: ${mode}`,
  ],
  [
    'no Secret and a path that leaves',
    { secret: { items: items('../p') } },
    'secret.secretName: Required value',
    `secret.items[0].path: Invalid value: "../p": must not contain '..'`,
  ],
  [
    'a file of the pod’s own facts that leaves',
    { downwardAPI: { items: [{ path: '../x', fieldRef: { fieldPath: 'metadata.name' } }] } },
    `downwardAPI.path: Invalid value: "../x": must not contain '..'`,
  ],
  [
    'a file of the pod’s own facts that names none',
    { downwardAPI: { items: [{ path: 'x' }] } },
    'downwardAPI: Required value: one of fieldRef and resourceFieldRef is required',
  ],
  [
    'a projection that leaves',
    { projected: { sources: [{ configMap: { name: 'c', items: items('../p') } }] } },
    `projected.sources[0].configMap.items[0].path: Invalid value: "../p": must not contain '..'`,
  ],
  [
    'two things in one source of a projection',
    { projected: { sources: [{ configMap: { name: 'c' }, secret: { name: 's' } }] } },
    'projected.sources[0]: Forbidden: may not specify more than 1 volume type per source',
  ],
  [
    'two sources of a projection that write one file',
    {
      projected: {
        sources: [
          { configMap: { name: 'c', items: items('p') } },
          { secret: { name: 's', items: items('p') } },
        ],
      },
    },
    'projected: Invalid value: "s": conflicting duplicate paths',
  ],
  [
    'a token that is gone too soon',
    { projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 5 } }] } },
    'projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes',
  ],
  [
    'a token that leaves',
    { projected: { sources: [{ serviceAccountToken: { path: '../t' } }] } },
    `projected.path: Invalid value: "../t": must not contain '..'`,
  ],
  ['no path of the host', { hostPath: { path: '' } }, 'hostPath.path: Required value'],
  [
    'a path of the host that climbs, of no type',
    { hostPath: { path: '/a/..', type: 'Foo' } },
    `hostPath.path: Invalid value: "/a/..": must not contain '..'`,
    'hostPath.type: Unsupported value: "Foo": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
  ],
  [
    'a size below nothing',
    { emptyDir: { sizeLimit: '-1' } },
    'emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity',
  ],
  [
    'no claim',
    { persistentVolumeClaim: { claimName: '' } },
    'persistentVolumeClaim.claimName: Required value',
  ],
  [
    'four sources, of which the first counts',
    { secret: {}, configMap: {}, hostPath: { path: '/x' }, emptyDir: {} },
    'hostPath: Forbidden: may not specify more than 1 volume type',
    'secret: Forbidden: may not specify more than 1 volume type',
    'configMap: Forbidden: may not specify more than 1 volume type',
  ],
];

const badTolerations: [why: string, toleration: object, cause: string][] = [
  ['no key and a value', { value: 'x' }, `operator: Invalid value: "": ${matchAll}`],
  ['no key and Equal', { operator: 'Equal' }, `operator: Invalid value: "Equal": ${matchAll}`],
  [
    'a value that cannot matter',
    { key: 'a', operator: 'Exists', value: 'x' },
    'operator: Invalid value: "x": value must be empty when `operator` is \'Exists\'',
  ],
  [
    'a value that no taint can have',
    { key: 'a', value: 'b c' },
    `operator: Invalid value: "b c": ${labelValue}`,
  ],
  [
    'a key that no taint can have',
    { key: 'a b', operator: 'Exists' },
    `key: Invalid value: "a b": ${qualifiedName}`,
  ],
  [
    'an effect that is none',
    { key: 'a', effect: 'Nope' },
    'effect: Unsupported value: "Nope": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
  ],
  [
    'a time for an effect that has none',
    { key: 'a', effect: 'NoSchedule', tolerationSeconds: 3 },
    'effect: Invalid value: "NoSchedule": effect must be \'NoExecute\' when `tolerationSeconds` is set',
  ],
  [
    'a comparison',
    { key: 'a', operator: 'Lt', value: '5' },
    'operator: Unsupported value: "Lt": supported values: "Equal", "Exists", "Lt", "Gt"',
  ],
];

contract('volumes and tolerations of pods', (it) => {
  for (const [why, volume, ...causes] of badVolumes)
    it(
      `a volume with ${why} is refused`,
      refuses(
        ({ api, core }) => api.post(core('pods'), pod('bad', { volumes: [{ name: 'v', ...volume }] })),
        invalid('Pod', 'bad', ...causes.map((each) => `spec.volumes[0].${each}`)),
      ),
    );

  for (const [why, toleration, cause] of badTolerations)
    it(
      `a toleration with ${why} is refused`,
      refuses(
        ({ api, core }) => api.post(core('pods'), pod('bad', { tolerations: [toleration] })),
        invalid('Pod', 'bad', `spec.tolerations[0].${cause}`),
      ),
    );

  it('a file may have dots in its name', async ({ api, core }) => {
    const volumes = [{ name: 'v', configMap: { name: 'c', items: items('a..b') } }];
    const { code } = await api.post(core('pods'), pod('dots', { volumes }), { query: { dryRun: 'All' } });
    expect(code).toBe(201);
  });

  it('a projection of nothing is taken with a warning', async ({ api, core }) => {
    const volumes = [{ name: 'v', projected: { sources: [{}] } }];
    const { code, headers } = await api.post(core('pods'), pod('empty', { volumes }), {
      query: { dryRun: 'All' },
    });
    expect([code, headers['warning']]).toEqual([
      201,
      '299 - "volume \\"v\\" (Projected) has no sources provided"',
    ]);
  });

  it('what a pod tolerates can grow, and not shrink', async ({ api, core }) => {
    const first = { key: 'a', operator: 'Exists' };
    await api.post(core('pods'), pod('tolerant', { tolerations: [first] }));
    const { body } = await api.get(core('pods/tolerant'));
    const { tolerations } = body['spec'] as { tolerations: object[] };
    const more = [...tolerations, { key: 'b', operator: 'Exists' }];
    const grown = await api.patch(core('pods/tolerant'), 'merge', { spec: { tolerations: more } });
    expect(grown.code).toBe(200);
    const shrunk = await api.patch(core('pods/tolerant'), 'merge', { spec: { tolerations } });
    expect([shrunk.code, shrunk.body['message']]).toEqual([
      422,
      'Pod "tolerant" is invalid: spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
    ]);
  });

  it('the deadline of a pod can only come nearer', async ({ api, core }) => {
    await api.post(core('pods'), pod('late', { activeDeadlineSeconds: 50 }));
    const change = async (seconds: number | null) => {
      const { code, body } = await api.patch(core('pods/late'), 'merge', {
        spec: { activeDeadlineSeconds: seconds },
      });
      return [code, body['message']];
    };
    const field = 'Pod "late" is invalid: spec.activeDeadlineSeconds: Invalid value:';
    expect(await change(60)).toEqual([422, `${field} 60: must be less than or equal to previous value`]);
    expect(await change(null)).toEqual([
      422,
      `${field} null: must not update from a positive integer to nil value`,
    ]);
    expect(await change(40)).toEqual([200, undefined]);
  });
});
