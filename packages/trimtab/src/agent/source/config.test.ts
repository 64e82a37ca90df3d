import { describe, expect, test } from 'vitest';
import { type ConfigRef, configOf, displayName, roleRules } from './config.ts';

const web: ConfigRef = { kind: 'ConfigMap', namespace: 'shop', name: 'web' };
const tls: ConfigRef = { kind: 'Secret', namespace: 'shop', name: 'tls' };
const metadata = { namespace: 'shop', name: 'web', uid: 'u', resourceVersion: '7' };
const textOf = (entries: ReadonlyMap<string, Buffer>) =>
  Object.fromEntries([...entries].map(([key, content]) => [key, content.toString('latin1')]));

describe('the content of a config', () => {
  test('is the text and the bytes of a ConfigMap', () => {
    const object = { metadata, data: { 'a.conf': 'ä\n' }, binaryData: { 'a.gz': 'AP8Q' } };
    const { entries, ...rest } = configOf(web, object);
    expect(rest).toEqual({ ...web, uid: 'u', resourceVersion: '7' });
    expect([...entries]).toEqual([
      ['a.conf', Buffer.from('ä\n', 'utf8')],
      ['a.gz', Buffer.from([0, 255, 16])],
    ]);
  });

  test('is the decoded data of a Secret', () => {
    const object = { metadata, data: { password: Buffer.from('s3cret ü').toString('base64'), empty: '' } };
    expect([...configOf(tls, object).entries]).toEqual([
      ['password', Buffer.from('s3cret ü')],
      ['empty', Buffer.alloc(0)],
    ]);
  });

  test.each([{}, { data: null, binaryData: null }, { data: {} }])('is nothing with %j', (body) => {
    expect(textOf(configOf(web, { metadata, ...body }).entries)).toEqual({});
  });
});

test('messages name a config by kind, namespace and name', () => {
  expect(displayName(tls)).toBe('secret shop/tls');
});

test('a Role allows to read and watch exactly the named configs, by namespace and kind', () => {
  const refs: ConfigRef[] = [
    tls,
    web,
    { ...web, name: 'api' },
    web,
    { kind: 'ConfigMap', namespace: 'other', name: 'web' },
  ];
  const rule = (resources: string, ...resourceNames: string[]) => ({
    apiGroups: [''],
    resources: [resources],
    resourceNames,
    verbs: ['get', 'watch'],
  });
  expect(Object.fromEntries(roleRules(refs))).toEqual({
    shop: [rule('configmaps', 'web', 'api'), rule('secrets', 'tls')],
    other: [rule('configmaps', 'web')],
  });
});
