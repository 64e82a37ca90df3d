import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { configMap } from '../objects.ts';
import { invalid, refused, refuses } from '../statuses.ts';
import { dnsSubdomain, labelValue, qualifiedName } from '../texts.ts';

const rbac = 'rbac.authorization.k8s.io/v1';
const long = (length: number) => 'a'.repeat(length);

const badNames: [why: string, name: string][] = [
  ['upper case', 'Foo'],
  ['an underscore', 'foo_bar'],
  ['a dot at its end', 'foo.'],
  ['a slash', 'foo/bar'],
  ['a percent sign', 'foo%'],
  ['nothing but dots', '..'],
  ['a blank', 'foo bar'],
  ['letters that are not ASCII', 'größe'],
];

const badLabels: [why: string, labels: object, ...faults: string[]][] = [
  ['a key with a blank', { 'a b': 'x' }, `"a b": ${qualifiedName}`],
  ['a key of 64 characters', { [long(64)]: 'x' }, `"${long(64)}": name part must be no more than 63 bytes`],
  ['an empty key', { '': 'x' }, '"": name part must be non-empty', `"": ${qualifiedName}`],
  [
    'two slashes in a key',
    { 'a/b/c': 'x' },
    `"a/b/c": ${qualifiedName.replace('name part', 'a valid label key')} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
  ],
  ['a prefix that is no DNS name', { 'A_B/c': 'x' }, `"A_B/c": prefix part ${dnsSubdomain}`],
  ['a value of 64 characters', { a: long(64) }, `"${long(64)}": must be no more than 63 bytes`],
  ['a value that ends in a dash', { a: 'x-' }, `"x-": ${labelValue}`],
  ['a value with a slash', { a: 'x/y' }, `"x/y": ${labelValue}`],
];

contract('names and labels', (it) => {
  for (const [why, name] of badNames)
    it(
      `a name with ${why} is refused`,
      refuses(
        ({ api, core }) => api.post(core('configmaps'), configMap(name)),
        invalid('ConfigMap', name, `metadata.name: Invalid value: "${name}": ${dnsSubdomain}`),
      ),
    );

  it('a name of 253 characters is taken', async ({ api, core }) => {
    const { code } = await api.post(core('configmaps'), configMap(long(253)));
    expect(code).toBe(201);
  });

  it(
    'a name of 254 characters is refused',
    refuses(
      ({ api, core }) => api.post(core('configmaps'), configMap(long(254))),
      invalid(
        'ConfigMap',
        long(254),
        `metadata.name: Invalid value: "${long(254)}": must be no more than 253 characters`,
      ),
    ),
  );

  it(
    'a Service’s name is a DNS label, so it has no dot',
    refuses(
      ({ api, core }) => {
        const spec = { ports: [{ port: 80 }] };
        return api.post(core('services'), {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'a.b' },
          spec,
        });
      },
      invalid('Service', 'a.b', 'metadata.name: Invalid value: "a.b": must not contain dots'),
    ),
  );

  it(
    'a Namespace’s name is a DNS label',
    refuses(
      ({ api }) =>
        api.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a.b' } }),
      invalid('Namespace', 'a.b', 'metadata.name: Invalid value: "a.b": must not contain dots'),
    ),
  );

  it('a Role’s name may be almost anything that fits into a path', async ({ api, group }) => {
    const role = { apiVersion: rbac, kind: 'Role', metadata: { name: 'Some:Role_1' } };
    const { code } = await api.post(group(rbac, 'roles'), role);
    expect(code).toBe(201);
  });

  it(
    'a Role’s name with a slash is refused',
    refuses(
      ({ api, group }) =>
        api.post(group(rbac, 'roles'), { apiVersion: rbac, kind: 'Role', metadata: { name: 'a/b' } }),
      invalid(
        'Role.rbac.authorization.k8s.io',
        'a/b',
        `metadata.name: Invalid value: "a/b": may not contain '/'`,
      ),
    ),
  );

  it('generateName gets five more characters that are easy to tell apart', async ({ api, core }) => {
    const { code, body } = await api.post(core('configmaps'), configMap({ generateName: 'some-' }));
    expect(code).toBe(201);
    expect(body.metadata.name).toMatch(/^some-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(body.metadata).toMatchObject({ generateName: 'some-' });
  });

  it('a name wins over generateName', async ({ api, core }) => {
    const { body } = await api.post(core('configmaps'), configMap({ name: 'given', generateName: 'some-' }));
    expect(body.metadata.name).toBe('given');
  });

  it('a generateName that is too long is cut so that the name has 63 characters', async ({ api, core }) => {
    const { code, body } = await api.post(core('configmaps'), configMap({ generateName: long(253) }));
    expect(code).toBe(201);
    expect(body.metadata.name).toMatch(/^a{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it(
    'an object without name and generateName is refused',
    refuses(
      ({ api, core }) => api.post(core('configmaps'), configMap({})),
      invalid('ConfigMap', '', 'metadata.name: Required value: name or generateName is required'),
    ),
  );

  it('a bad generateName is refused as such, and so is the name made of it', async (target) => {
    const answer = await target.api.post(target.core('configmaps'), configMap({ generateName: 'Bad_' }));
    const { name } = (answer.body as unknown as { details: { name: string } }).details;
    expect(name).toMatch(/^Bad_.{5}$/);
    const faults = [
      `metadata.generateName: Invalid value: "Bad_": ${dnsSubdomain}`,
      `metadata.name: Invalid value: "${name}": ${dnsSubdomain}`,
    ];
    refused(target, answer, invalid('ConfigMap', name, ...faults));
  });

  for (const [why, labels, ...faults] of badLabels)
    it(
      `a label with ${why} is refused`,
      refuses(
        ({ api, core }) => api.post(core('configmaps'), configMap({ name: 'labelled', labels })),
        invalid(
          'ConfigMap',
          'labelled',
          ...faults.map((fault) => `metadata.labels: Invalid value: ${fault}`),
        ),
      ),
    );

  it(
    'several faults are told at once',
    refuses(
      ({ api, core }) =>
        api.post(
          core('configmaps'),
          configMap({ name: 'Foo', labels: { 'bad key': 'x' }, annotations: { 'also bad': '' } }),
        ),
      invalid(
        'ConfigMap',
        'Foo',
        `metadata.name: Invalid value: "Foo": ${dnsSubdomain}`,
        `metadata.labels: Invalid value: "bad key": ${qualifiedName}`,
        `metadata.annotations: Invalid value: "also bad": ${qualifiedName}`,
      ),
    ),
  );
});
