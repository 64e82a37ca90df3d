import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { configMap, secret } from '../objects.ts';
import { badRequest, invalid, type Refusal, refused, refuses } from '../statuses.ts';
import { configKey } from '../texts.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const mebibyte = 1024 * 1024;

const badConfigMaps: [why: string, more: object, expected: Refusal][] = [
  [
    'a key with a blank',
    { data: { 'a b': '1' } },
    invalid('ConfigMap', 'bad', `data[a b]: Invalid value: "a b": ${configKey}`),
  ],
  [
    'a key with a slash',
    { data: { 'a/b': '1' } },
    invalid('ConfigMap', 'bad', `data[a/b]: Invalid value: "a/b": ${configKey}`),
  ],
  [
    'an empty key',
    { data: { '': '1' } },
    invalid('ConfigMap', 'bad', `data[]: Invalid value: "": ${configKey}`),
  ],
  [
    'a key of two dots',
    { data: { '..': '1' } },
    invalid('ConfigMap', 'bad', `data[..]: Invalid value: "..": must not be '..'`),
  ],
  [
    'a key that begins with two dots',
    { data: { '..a': '1' } },
    invalid('ConfigMap', 'bad', `data[..a]: Invalid value: "..a": must not start with '..'`),
  ],
  [
    'a key of 254 characters',
    { data: { ['a'.repeat(254)]: '1' } },
    invalid(
      'ConfigMap',
      'bad',
      `data[${'a'.repeat(254)}]: Invalid value: "${'a'.repeat(254)}": must be no more than 253 characters`,
    ),
  ],
  [
    'a key in data and in binaryData',
    { data: { a: '1' }, binaryData: { a: 'eA==' } },
    invalid('ConfigMap', 'bad', 'data[a]: Invalid value: "a": duplicate of key present in binaryData'),
  ],
  [
    'more than 1 MiB',
    { data: { a: 'x'.repeat(mebibyte + 1) } },
    invalid('ConfigMap', 'bad', '[]: Too long: may not be more than 1048576 bytes'),
  ],
];

const badSecrets: [why: string, more: object, expected: Refusal][] = [
  [
    'a bad key',
    { data: { 'a b': 'eA==' } },
    invalid('Secret', 'bad', `data[a b]: Invalid value: "a b": ${configKey}`),
  ],
  [
    'a TLS type and no certificate',
    { type: 'kubernetes.io/tls' },
    invalid('Secret', 'bad', 'data[tls.crt]: Required value', 'data[tls.key]: Required value'),
  ],
  [
    'a docker type and no config',
    { type: 'kubernetes.io/dockerconfigjson' },
    invalid('Secret', 'bad', 'data[.dockerconfigjson]: Required value'),
  ],
  [
    'a docker config that is no JSON',
    { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': base64('no') } },
    invalid(
      'Secret',
      'bad',
      `data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": invalid character 'o' in literal null (expecting 'u')`,
    ),
  ],
  [
    'a basic auth type and neither name nor password',
    { type: 'kubernetes.io/basic-auth' },
    invalid('Secret', 'bad', 'data[username]: Required value', 'data[password]: Required value'),
  ],
  [
    'an ssh type and no key',
    { type: 'kubernetes.io/ssh-auth' },
    invalid('Secret', 'bad', 'data[ssh-privatekey]: Required value'),
  ],
  [
    'a token type and no service account',
    { type: 'kubernetes.io/service-account-token' },
    invalid('Secret', 'bad', 'metadata.annotations[kubernetes.io/service-account.name]: Required value'),
  ],
  [
    'a type that JavaScript gives a meaning, and a bad key',
    { type: '__proto__', data: { 'a b': 'eA==' } },
    invalid('Secret', 'bad', `data[a b]: Invalid value: "a b": ${configKey}`),
  ],
  [
    'more than 1 MiB',
    { data: { a: base64('x'.repeat(mebibyte + 1)) } },
    invalid('Secret', 'bad', 'data: Too long: may not be more than 1048576 bytes'),
  ],
];

const immutableChanges: [what: string, change: object, expected: Refusal][] = [
  [
    'its data',
    { data: { a: '2' } },
    invalid('ConfigMap', 'immutable', 'data: Forbidden: field is immutable when `immutable` is set'),
  ],
  [
    'its binary data',
    { binaryData: { b: 'eA==' } },
    invalid('ConfigMap', 'immutable', 'binaryData: Forbidden: field is immutable when `immutable` is set'),
  ],
  [
    'its being immutable',
    { immutable: false },
    invalid('ConfigMap', 'immutable', 'immutable: Forbidden: field is immutable when `immutable` is set'),
  ],
  [
    'its being immutable by leaving it out',
    { immutable: null },
    invalid('ConfigMap', 'immutable', 'immutable: Forbidden: field is immutable when `immutable` is set'),
  ],
  [
    'everything at once',
    { immutable: false, data: { a: '2' }, binaryData: { b: 'eA==' } },
    invalid(
      'ConfigMap',
      'immutable',
      'immutable: Forbidden: field is immutable when `immutable` is set',
      'data: Forbidden: field is immutable when `immutable` is set',
      'binaryData: Forbidden: field is immutable when `immutable` is set',
    ),
  ],
];

contract('ConfigMaps and Secrets', (it) => {
  for (const [why, more, expected] of badConfigMaps)
    it(
      `a ConfigMap with ${why} is refused`,
      refuses(({ api, core }) => api.post(core('configmaps'), configMap('bad', more)), expected),
    );

  it('a ConfigMap holds exactly 1 MiB', async ({ api, core }) => {
    const { code } = await api.post(
      core('configmaps'),
      configMap('full', { data: { a: 'x'.repeat(mebibyte) } }),
      { query: { dryRun: 'All' } },
    );
    expect(code).toBe(201);
  });

  it('text and bytes are kept as they were given', async ({ api, core }) => {
    const data = { text: 'ä€😀\u0000\n\t"\\', empty: '' };
    const binaryData = { bytes: Buffer.from([0, 255, 128, 10]).toString('base64') };
    await api.post(core('configmaps'), configMap('kept', { data, binaryData }));
    const { body } = await api.get(core('configmaps/kept'));
    expect([body['data'], body['binaryData']]).toEqual([data, binaryData]);
  });

  it('keys come in order', async ({ api, core }) => {
    const { text } = await api.post(
      core('configmaps'),
      configMap('ordered', { data: { b: '', 10: '', a: '', 9: '', B: '' } }),
    );
    expect(text).toContain('"data":{"10":"","9":"","B":"","a":"","b":""}');
  });

  for (const [what, change, expected] of immutableChanges)
    it(`of an immutable ConfigMap, ${what} cannot be changed`, async (target) => {
      const { api, core } = target;
      await api.post(core('configmaps'), configMap('immutable', { immutable: true, data: { a: '1' } }));
      refused(target, await api.patch(core('configmaps/immutable'), 'merge', change), expected);
    });

  it('of an immutable ConfigMap, metadata can be changed, and it can be deleted', async ({ api, core }) => {
    await api.post(core('configmaps'), configMap('labelled', { immutable: true, data: { a: '1' } }));
    const patched = await api.patch(core('configmaps/labelled'), 'merge', {
      metadata: { labels: { a: 'b' } },
    });
    const deleted = await api.delete(core('configmaps/labelled'));
    expect([patched.code, deleted.code]).toEqual([200, 200]);
  });

  it('a ConfigMap becomes immutable by an update', async ({ api, core }) => {
    await api.post(core('configmaps'), configMap('becomes', { data: { a: '1' } }));
    const { code, body } = await api.patch(core('configmaps/becomes'), 'merge', {
      immutable: true,
      data: { a: '2' },
    });
    expect([code, body['immutable'], body['data']]).toEqual([200, true, { a: '2' }]);
  });

  for (const [why, more, expected] of badSecrets)
    it(
      `a Secret with ${why} is refused`,
      refuses(({ api, core }) => api.post(core('secrets'), secret('bad', more)), expected),
    );

  it(
    'a Secret whose data is not base64 is refused',
    refuses(
      ({ api, core }) => api.post(core('secrets'), secret('bad', { data: { a: '***' } })),
      badRequest('Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 0'),
    ),
  );

  it('the type of a Secret cannot be changed', async (target) => {
    const { api, core } = target;
    await api.post(core('secrets'), secret('typed', { type: 'example.com/a' }));
    refused(
      target,
      await api.patch(core('secrets/typed'), 'merge', { type: 'example.com/b' }),
      invalid('Secret', 'typed', 'type: Invalid value: "example.com/b": field is immutable'),
    );
  });

  it('of an immutable Secret, data cannot be changed', async (target) => {
    const { api, core } = target;
    await api.post(core('secrets'), secret('immutable', { immutable: true, data: { a: 'eA==' } }));
    refused(
      target,
      await api.patch(core('secrets/immutable'), 'merge', { data: { a: 'eQ==' } }),
      invalid('Secret', 'immutable', 'data: Forbidden: field is immutable when `immutable` is set'),
    );
  });

  it('a patch may use stringData', async ({ api, core }) => {
    await api.post(core('secrets'), secret('strings', { data: { a: 'eA==' } }));
    const { body } = await api.patch(core('secrets/strings'), 'merge', { stringData: { b: 'y' } });
    expect(body['data']).toEqual({ a: 'eA==', b: base64('y') });
  });
});
