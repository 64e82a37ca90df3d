import { expect, test } from 'vitest';
import { deployment } from '../kinds/apps/deployment.ts';
import { configMap } from '../kinds/core/config-map.ts';
import type { Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../object.ts';
import { isSameButTimes } from './same-but-times.ts';
import { trackWrite } from './track-write.ts';
import type { Writer } from './writer.ts';

const writer = (manager: string, kind: Kind = configMap, subresource = ''): Writer => ({
  kind,
  subresource,
  manager,
  time: '2026-11-15T12:00:00Z',
});

function object(data: object, metadata: object = {}): ApiObject {
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'foo', ...metadata }, data } as ApiObject;
}

function created(data: object, manager = 'maker'): ApiObject {
  const made = object(data, { uid: 'u' });
  trackWrite(writer(manager), undefined, made);
  return made;
}

function updated(old: ApiObject, data: object, metadata: object = {}, manager = 'writer'): ApiObject {
  const next = object(data, { uid: 'u', ...metadata });
  trackWrite(writer(manager), old, next);
  return next;
}

const owners = ({ metadata }: ApiObject) =>
  ((metadata.managedFields ?? []) as { manager: string; fieldsV1: object }[]).map(({ manager, fieldsV1 }) => [
    manager,
    fieldsV1,
  ]);

test('a name with a prototype’s is a field like any other', () => {
  const old = created(JSON.parse('{"__proto__":"1","constructor":"2"}') as object);
  expect(JSON.stringify(owners(old))).toBe(
    '[["maker",{"f:data":{".":{},"f:__proto__":{},"f:constructor":{}}}]]',
  );
  const next = updated(old, JSON.parse('{"__proto__":"3","constructor":"2"}') as object);
  expect(JSON.stringify(owners(next))).toBe(
    '[["maker",{"f:data":{".":{},"f:constructor":{}}}],["writer",{"f:data":{"f:__proto__":{}}}]]',
  );
});

test('the old object stays as it was', () => {
  const old = created({ a: '1' });
  const before = structuredClone(old);
  updated(old, { a: '2' });
  expect(old).toEqual(before);
});

test.each([
  ['nothing', undefined, ['maker', 'writer']],
  ['an empty list', [], []],
  ['an empty entry', [{}], []],
  ['nonsense', [{ manager: 'x', operation: 'Guess' }], ['maker', 'writer']],
  ['two empty entries', [{}, {}], ['maker', 'writer']],
])('of a record, who sends %s gets what they meant', (_what, managedFields, expected) => {
  const metadata = managedFields === undefined ? {} : { managedFields };
  const next = updated(created({ a: '1', b: '1' }), { a: '1', b: '2' }, metadata);
  expect(owners(next).map(([manager]) => manager)).toEqual(expected);
});

test('a write that moves nothing but a time is none', () => {
  const old = created({ a: '1' });
  const later = structuredClone(old);
  for (const entry of later.metadata.managedFields as { time: string }[]) entry.time = '2027-01-01T00:00:00Z';
  expect(isSameButTimes(later, old)).toBe(true);
  expect(isSameButTimes(created({ a: '1' }, 'other'), old)).toBe(false);
  expect(isSameButTimes({ ...later, metadata: { ...later.metadata, labels: { a: 'b' } } }, old)).toBe(false);
});

test('a scale takes over replicas that somebody owns, and makes nobody the owner of others', () => {
  const sized = (replicas: number): ApiObject =>
    deployment.codec.decode(
      { metadata: { name: 'web', uid: 'u' }, spec: { replicas, selector: {}, template: {} } },
      [],
    );
  const old = sized(1);
  trackWrite(writer('maker', deployment), undefined, old);
  const next = sized(2);
  trackWrite({ ...writer('scaler', deployment, 'scale'), time: undefined }, old, next);
  expect(next.metadata.managedFields).toContainEqual({
    manager: 'scaler',
    operation: 'Update',
    apiVersion: 'apps/v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    subresource: 'scale',
  });

  const managedFields = [
    {
      manager: 'other',
      operation: 'Apply',
      apiVersion: 'apps/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:paused': {} } },
    },
  ];
  const ownerless = { ...old, metadata: { ...old.metadata, managedFields } };
  const third = sized(3);
  trackWrite({ ...writer('scaler', deployment, 'scale'), time: undefined }, ownerless, third);
  expect(third.metadata.managedFields).toEqual(managedFields);
});
