import { describe, expect, test } from 'vitest';
import { findReferences } from '../references/references.ts';
import { type FieldSet, withField } from './field-set.ts';
import { giveBack, updatedFields } from './give-back.ts';
import type { ManagedFields } from './managed-fields.ts';
import { referenceField } from './reference-field.ts';
import { referenceOwners } from './reference-owners.ts';

const template = {
  spec: {
    volumes: [
      { name: 'c', configMap: { name: 'foo-1' } },
      { name: 'p', projected: { sources: [{ configMap: { name: 'foo-1' } }] } },
    ],
    containers: [
      {
        name: 'app',
        env: [{ name: 'COLOR', valueFrom: { configMapKeyRef: { name: 'foo-1', key: 'color' } } }],
        envFrom: [{ secretRef: { name: 'bar-1' } }],
      },
    ],
  },
};
const pointers = findReferences(template).map(({ pointer }) => pointer);
const [volume = '', projected = '', env = '', envFrom = ''] = pointers;

/** The fields of these references, and of the items that contain them when `items` says so. */
function fieldsOf(which: readonly string[], items = true): FieldSet {
  return which.reduce<FieldSet>((set, pointer) => {
    const { path, item } = referenceField(template, pointer);
    return withField(items && item !== undefined ? withField(set, item) : set, path);
  }, {});
}

const entry = (manager: string, operation: 'Apply' | 'Update', fieldsV1: FieldSet): ManagedFields => ({
  manager,
  operation,
  time: '2026-01-01T00:00:00Z',
  fieldsV1,
});
const own = { 'f:metadata': { 'f:labels': { 'f:trimtab.dev/assigned': {} } } };
const ownWith = (which: readonly string[]) =>
  entry('trimtab', 'Update', { ...own, ...fieldsOf(which, false) });

/** The entries after the patch, computed from its operations. */
function after(entries: readonly ManagedFields[], operations: ReturnType<typeof giveBack>): ManagedFields[] {
  const result = entries.map((each) => structuredClone(each));
  for (const { op, path, value } of operations) {
    const [, , , index = '', field] = path.split('/');
    if (op === 'test') expect(value).toEqual(entries[Number(index)]);
    if (op === 'remove') result.splice(Number(index), 1);
    if (op === 'replace') {
      expect(field).toBe('fieldsV1');
      const changed = result[Number(index)];
      if (changed !== undefined) changed.fieldsV1 = value as Record<string, unknown>;
    }
  }
  return result;
}

function given(entries: readonly ManagedFields[], before?: readonly ManagedFields[]) {
  const references = findReferences(template);
  const owners = before && referenceOwners(template, references, before);
  const changed = after(entries, giveBack(entries, updatedFields(template, pointers, entries, owners)));
  const now = referenceOwners(template, references, changed);
  return { entries: changed, appliers: pointers.map((each) => now.get(each)?.appliers.join()), now };
}

describe('fields of references that an update took', () => {
  test('go back to the manager that applied them', () => {
    const before = [entry('helm', 'Apply', fieldsOf(pointers))];
    const items = entry('helm', 'Apply', fieldsOf([]));
    const result = given([items, ownWith(pointers)], before);
    expect(result.appliers).toEqual(['helm', 'helm', 'helm', 'helm']);
    expect(result.entries[1]?.fieldsV1).toEqual(own);
  });

  test('go back to the manager that applied them together with a client that wrote them in an update', () => {
    const before = [
      entry('helm', 'Apply', fieldsOf(pointers)),
      entry('kubectl-edit', 'Update', fieldsOf(pointers)),
    ];
    const result = given([entry('helm', 'Apply', fieldsOf([])), ownWith(pointers)], before);
    expect(result.appliers).toEqual(['helm', 'helm', 'helm', 'helm']);
  });

  test('go to the manager that applies the volume or the variable when it is not known who had them', () => {
    const helm = entry('helm', 'Apply', {
      'f:spec': {
        'f:template': {
          'f:spec': {
            'f:volumes': { 'k:{"name":"c"}': { '.': {}, 'f:name': {} } },
            'f:containers': {
              'k:{"name":"app"}': { '.': {}, 'f:env': { 'k:{"name":"COLOR"}': { '.': {}, 'f:name': {} } } },
            },
          },
        },
      },
    });
    const result = given([helm, ownWith(pointers)]);
    expect(result.appliers).toEqual(['helm', '', 'helm', '']);
    expect([...result.now.values()].every(({ isUpdated }) => !isUpdated)).toBe(true);
  });

  test('have no owner when a client wrote them in an update', () => {
    const edited = [entry('kubectl-edit', 'Update', fieldsOf(pointers))];
    expect(given([ownWith(pointers)], edited).appliers).toEqual(['', '', '', '']);
  });

  test('go back to both managers that applied them, so that the conflict between the two is still told', () => {
    const both = [entry('helm', 'Apply', fieldsOf(pointers)), entry('argocd', 'Apply', fieldsOf(pointers))];
    const items = both.map((each) => ({ ...each, fieldsV1: {} }));
    const all = 'helm,argocd';
    expect(given([...items, ownWith(pointers)], both).appliers).toEqual([all, all, all, all]);
  });

  test('leave an entry that loses all of its fields, and no other entry changes', () => {
    const scale: ManagedFields = { ...entry('hpa', 'Update', fieldsOf([volume])), subresource: 'scale' };
    const applied = entry('other', 'Apply', { 'f:metadata': {} });
    const result = given([scale, entry('ancient-changes', 'Update', fieldsOf(pointers, false)), applied], []);
    expect(result.entries).toEqual([scale, applied]);
    expect(giveBack([scale, applied], updatedFields(template, pointers, [scale, applied]))).toEqual([]);
  });

  test('are those that an API server tracks: a source list and a key reference as a whole', () => {
    const keys = (pointer: string) => JSON.stringify(referenceField(template, pointer).path);
    expect(keys(volume)).toContain(
      '{"field":"volumes"},{"item":"c"},{"field":"configMap"},{"field":"name"}]',
    );
    expect(keys(projected)).toContain('{"item":"p"},{"field":"projected"},{"field":"sources"}]');
    expect(keys(env)).toContain('{"item":"COLOR"},{"field":"valueFrom"},{"field":"configMapKeyRef"}]');
    expect(keys(envFrom)).toContain('{"item":"app"},{"field":"envFrom"}]');
  });
});
