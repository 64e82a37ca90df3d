import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { configMap, deployment, pod, podSpec } from '../objects.ts';
import { badRequest, invalid, type Refusal, refuses } from '../statuses.ts';

const yaml = { 'content-type': 'application/yaml' };
const strict = { query: { fieldValidation: 'Strict' } };

const wrongTypes: [what: string, object: object, expected: Refusal][] = [
  [
    'a number for a text',
    configMap('typed', { data: { a: 1 } }),
    badRequest(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ),
  ],
  [
    'a boolean for a text',
    configMap('typed', { data: { a: true } }),
    badRequest(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal bool into Go struct field ConfigMap.data of type string',
    ),
  ],
  [
    'a list for a map',
    configMap('typed', { data: ['a'] }),
    badRequest(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string',
    ),
  ],
  [
    'a text for a map',
    configMap('typed', { data: 'a' }),
    badRequest(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string',
    ),
  ],
  [
    'an object for a text',
    configMap('typed', { data: { a: {} } }),
    badRequest(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal object into Go struct field ConfigMap.data of type string',
    ),
  ],
  [
    'a text for a boolean',
    configMap('typed', { immutable: 'true' }),
    badRequest(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal string into Go struct field ConfigMap.immutable of type bool',
    ),
  ],
  [
    'a number for the name',
    configMap({ name: 5 }),
    badRequest(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
    ),
  ],
  [
    'a list for the metadata',
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: [] },
    badRequest(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal array into Go struct field ConfigMap.metadata of type v1.ObjectMeta',
    ),
  ],
  [
    'a time that is none',
    configMap({ name: 'typed', creationTimestamp: 'yesterday' }),
    badRequest(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    ),
  ],
];

contract('field validation', (it) => {
  for (const [what, object, expected] of wrongTypes)
    it(
      `${what} is refused`,
      refuses(({ api, core }) => api.post(core('configmaps'), object), expected),
    );

  it(
    'a text for a number deep inside is refused with its path',
    refuses(
      ({ api, apps }) => api.post(apps('deployments'), deployment('typed', { replicas: 'three' })),
      badRequest(
        'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
      ),
    ),
  );

  it(
    'a fraction for a whole number is refused',
    refuses(
      ({ api, apps }) => api.post(apps('deployments'), deployment('typed', { replicas: 1.5 })),
      badRequest(
        'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
      ),
    ),
  );

  it(
    'a quantity that is none is refused',
    refuses(({ api, core }) => {
      const containers = [{ name: 'app', image: 'app', resources: { limits: { cpu: 'much' } } }];
      return api.post(core('pods'), pod('typed', { containers }));
    }, badRequest(
      `Pod in version "v1" cannot be handled as a Pod: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
    )),
  );

  it('null counts as left out', async ({ api, core }) => {
    const { code, body } = await api.post(
      core('configmaps'),
      configMap({ name: 'nulls', labels: null }, { data: null, immutable: null }),
    );
    expect(code).toBe(201);
    expect(body).not.toHaveProperty('data');
  });

  it('null for a text in a map is an empty text', async ({ api, core }) => {
    const { body } = await api.post(core('configmaps'), configMap('null-text', { data: { a: null } }));
    expect(body['data']).toEqual({ a: '' });
  });

  it('null for bytes in a map is no bytes', async ({ api, core }) => {
    const binary = await api.post(core('configmaps'), configMap('null-bytes', { binaryData: { a: null } }));
    expect(binary.body['binaryData']).toEqual({ a: '' });
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'null-bytes' }, data: { a: null } };
    const { code, body } = await api.post(core('secrets'), secret);
    expect([code, body['data']]).toEqual([201, { a: '' }]);
  });

  it(
    'Strict refuses unknown fields, and tells all of them',
    refuses(
      ({ api, core }) =>
        api.post(core('configmaps'), configMap({ name: 'x', wrong: 1 }, { dat: {}, other: 2 }), strict),
      badRequest(
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.wrong", unknown field "dat", unknown field "other"',
      ),
    ),
  );

  it(
    'Strict refuses unknown fields in a pod template with their path',
    refuses(({ api, apps }) => {
      const template = {
        metadata: { labels: { app: 'app' } },
        spec: { ...podSpec(), containers: [{ name: 'a', image: 'b', imagePolicy: 'c' }] },
      };
      return api.post(apps('deployments'), deployment('x', { template }), strict);
    }, badRequest(
      'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.template.spec.containers[0].imagePolicy"',
    )),
  );

  it(
    'Strict refuses duplicate fields in JSON',
    refuses(
      ({ api, core }) =>
        api.post(
          core('configmaps'),
          '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"a":"1"},"data":{"b":"2"}}',
          strict,
        ),
      badRequest(
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data"',
      ),
    ),
  );

  it(
    'Strict refuses duplicate keys of a map in JSON',
    refuses(
      ({ api, core }) =>
        api.post(
          core('configmaps'),
          '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"a":"1","a":"2"}}',
          strict,
        ),
      badRequest(
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.a"',
      ),
    ),
  );

  it(
    'Strict refuses duplicate fields in YAML',
    refuses(
      ({ api, core }) =>
        api.post(
          core('configmaps'),
          'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: "1"}\ndata: {b: "2"}\n',
          { ...strict, headers: yaml },
        ),
      badRequest(
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 5: key "data" already set in map',
      ),
    ),
  );

  it('Warn takes what is twice in YAML, tells each line, and keeps the last', async ({ api, core }) => {
    const text =
      'kind: ConfigMap\nmetadata:\n  name: twice\n  labels: {a: b, a: c}\nextra: 1\ndata: {1: a, 1: b}\ndata:\n  b: "2"\n';
    const { code, headers, body } = await api.post(core('configmaps'), text, { headers: yaml });
    expect([code, body['data'], body.metadata.labels]).toEqual([201, { b: '2' }, { a: 'c' }]);
    expect(headers['warning']).toBe(
      [
        'line 4: key \\"a\\" already set in map',
        'line 6: key 1 already set in map',
        'line 8: key \\"data\\" already set in map',
        'unknown field \\"extra\\"',
      ]
        .map((each) => `299 - "${each}"`)
        .join(', '),
    );
  });

  it('Warn, the default, takes them and warns of each', async ({ api, core }) => {
    const { code, headers, body } = await api.post(
      core('configmaps'),
      configMap({ name: 'warned', wrong: 1 }, { dat: {} }),
    );
    expect(code).toBe(201);
    expect(body).not.toHaveProperty('dat');
    expect(headers['warning']).toEqual(
      '299 - "unknown field \\"metadata.wrong\\"", 299 - "unknown field \\"dat\\""',
    );
  });

  it('Warn tells of duplicates, and the last one wins', async ({ api, core }) => {
    const text =
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"doubled"},"data":{"a":"1","a":"2"}}';
    const { code, headers, body } = await api.post(core('configmaps'), text, {
      query: { fieldValidation: 'Warn' },
    });
    expect([code, body['data']]).toEqual([201, { a: '2' }]);
    expect(headers['warning']).toEqual('299 - "duplicate field \\"data.a\\""');
  });

  it('Ignore takes them in silence', async ({ api, core }) => {
    const query = { fieldValidation: 'Ignore' };
    const { code, headers } = await api.post(core('configmaps'), configMap('ignored', { dat: {} }), {
      query,
    });
    expect([code, headers['warning']]).toEqual([201, undefined]);
  });

  it(
    'another mode is refused',
    refuses(
      ({ api, core }) =>
        api.post(core('configmaps'), configMap('x'), { query: { fieldValidation: 'Loose' } }),
      invalid(
        'CreateOptions.meta.k8s.io',
        '',
        'fieldValidation: Unsupported value: "Loose": supported values: "", "Ignore", "Strict", "Warn"',
      ),
    ),
  );

  it('Strict holds for updates', async ({ api, core }) => {
    await api.post(core('configmaps'), configMap('strict'));
    const { code, body } = await api.put(core('configmaps/strict'), configMap('strict', { dat: {} }), strict);
    expect([code, body['message']]).toEqual([
      400,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dat"',
    ]);
  });

  const patches = [
    ['merge', { dat: { a: '1' } }],
    ['json', [{ op: 'add', path: '/dat', value: {} }]],
    ['strategic', { dat: { a: '1' } }],
  ] as const;
  for (const [type, patch] of patches)
    it(`Strict holds for a ${type} patch`, async ({ api, core }) => {
      await api.post(core('configmaps'), configMap('strict'));
      const { code, body } = await api.patch(core('configmaps/strict'), type, patch, strict);
      expect(code).toBe(422);
      const echo = type === 'strategic' ? /"map\[dat:map\[a:1\]\]"/ : /"\{.*\}"/;
      const [before, after] = String(body['message']).split(echo);
      expect(before).toBe(' "" is invalid: patch: Invalid value: ');
      expect(after).toBe(': strict decoding error: unknown field "dat"');
    });

  it('field names are told apart by case', async ({ api, core }) => {
    const { headers, body } = await api.post(core('configmaps'), configMap('cased', { Data: { a: '1' } }));
    expect(body).not.toHaveProperty('data');
    expect(headers['warning']).toEqual('299 - "unknown field \\"Data\\""');
  });
});
