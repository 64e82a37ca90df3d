import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { annotations, labels } from '../../api/names.ts';
import { parseAssignmentRecord } from '../../core/activation/assignment-record.ts';
import type { JoinedActivation } from '../../core/activation/join-activation.ts';
import { assignmentHash } from '../../core/references/assignment.ts';
import { type ConfigKey, configKey } from '../../core/references/config-key.ts';
import { findReferences } from '../../core/references/references.ts';
import { formatMove } from '../../core/references/requested-move.ts';
import { manages, parseManage } from '../../core/workload/opt-in.ts';
import type { AdmissionLookup } from './admission-lookup.ts';
import type { AdmissionRequest, PatchOperation, WorkloadObject } from './admission-review.ts';
import { mutateWorkload } from './mutate-workload.ts';

/** foo has three versions: 2 is current and 3 was rejected. bar has one, baz has none, and zip is not managed. */
const versions: Record<string, { config: string; name: string; rejected: string | undefined }> = {
  'foo-1': { config: 'foo', name: '1.0.0', rejected: undefined },
  'foo-2': { config: 'foo', name: '1.0.1', rejected: undefined },
  'foo-3': { config: 'foo', name: '1.0.2', rejected: 'container app: exit code 1' },
  'bar-1': { config: 'bar', name: '1.0.0', rejected: undefined },
};
const current: Record<string, string> = { foo: 'foo-2', bar: 'bar-1' };

const lookup: AdmissionLookup = {
  reloads: false,
  referenceWay: () => 'template',
  managed({ annotations: own, uid }, configs) {
    const manage = parseManage(own);
    const management = 'value' in manage ? manage.value : ({ mode: 'none' } as const);
    // An existing workload was managed before and stays managed until its annotation says otherwise.
    const sticky = management.mode === 'unsaid' && uid !== undefined;
    const managed = configs.filter(
      (each) => each.kind === 'ConfigMap' && each.name !== 'zip' && (sticky || manages(management, each)),
    );
    return new Set(managed.map(({ kind, name }) => configKey(kind, name)));
  },
  version: (kind, object) => (kind === 'ConfigMap' ? versions[object] : undefined),
  goodRevision: () => 7,
  current: (kind, config) => (kind === 'ConfigMap' ? current[config] : undefined),
};

interface Shape {
  names: string[];
  manage?: string;
  label?: string;
  annotations?: Record<string, string>;
}

function web({ names, manage = 'true', label, annotations: more = {} }: Shape): WorkloadObject {
  const own = { ...(manage !== '' && { [annotations.manage]: manage }), ...more };
  return {
    metadata: {
      name: 'web',
      ...(Object.keys(own).length > 0 && { annotations: own }),
      ...(label !== undefined && { labels: { [labels.assigned]: label } }),
    },
    spec: {
      template: {
        spec: {
          containers: [
            { name: 'app', envFrom: names.map((name) => ({ configMapRef: { name } })) },
            { name: 'proxy', envFrom: [{ secretRef: { name: 'foo' } }] },
          ],
          volumes: names.slice(0, 1).map((name) => ({ name: 'config', configMap: { name } })),
        },
      },
    },
  };
}

function request(object: WorkloadObject, oldObject?: WorkloadObject): AdmissionRequest {
  const old = oldObject && { ...oldObject, metadata: { ...oldObject.metadata, uid: 'u1' } };
  return {
    uid: 'r1',
    kind: { kind: 'Deployment' },
    namespace: 'default',
    name: 'web',
    operation: old ? 'UPDATE' : 'CREATE',
    object,
    ...(old && { oldObject: old }),
  };
}

/** Applies a patch as the API server does. */
function apply<T extends object>(object: T, patch: readonly PatchOperation[]): T {
  const copy = structuredClone(object);
  for (const { op, path, value } of patch) {
    const segments = path
      .slice(1)
      .split('/')
      .map((part) => part.replaceAll('~1', '/'));
    const last = segments.pop() ?? '';
    let node = copy as Record<string, unknown>;
    for (const segment of segments) node = node[segment] as Record<string, unknown>;
    if (op === 'test') expect(node[last]).toBe(value);
    else node[last] = value;
  }
  return copy;
}

const hash = (refs: Record<string, string>) =>
  assignmentHash(
    new Map(Object.entries(refs).map(([name, object]) => [`ConfigMap/${name}` as ConfigKey, object])),
  );

const names = (object: WorkloadObject) =>
  findReferences(object.spec?.template ?? {})
    .filter(({ kind }) => kind === 'ConfigMap')
    .map(({ name }) => name);

function admitted(object: WorkloadObject, oldObject?: WorkloadObject) {
  const mutation = mutateWorkload(request(object, oldObject), lookup);
  const after = apply(object, mutation.patch);
  return { ...mutation, after, names: names(after), label: after.metadata.labels?.[labels.assigned] };
}

const onFoo1 = web({ names: ['foo-1'], label: hash({ foo: 'foo-1' }) });
const onFoo2 = web({ names: ['foo-2'], label: hash({ foo: 'foo-2' }) });

describe('a change of references that Trimtab requests', () => {
  const move = formatMove({
    generation: 7,
    names: new Map([['ConfigMap/foo-1', 'foo-2']]),
    label: hash({ foo: 'foo-2' }),
    record: '{"activation":"a-1"}',
  });
  const before = { ...onFoo1, metadata: { ...onFoo1.metadata, generation: 7 } };
  const requesting = web({
    names: ['foo-1', 'zip'],
    label: hash({ foo: 'foo-1' }),
    annotations: { [annotations.move]: move },
  });

  test('is made as requested: references, label and record, and nothing is left of the request', () => {
    const { after, label, ...result } = admitted(requesting, before);
    expect(result.names).toEqual(['foo-2', 'foo-2', 'zip']);
    expect(label).toBe(hash({ foo: 'foo-2' }));
    expect(after.metadata.annotations).toMatchObject({
      [annotations.assignment]: '{"activation":"a-1"}',
      [annotations.move]: undefined,
    });
    expect(result.patch).toContainEqual({
      op: 'remove',
      path: '/metadata/annotations/trimtab.dev~1move',
    });
  });

  test('that belongs to another generation is dropped', () => {
    const later = { ...before, metadata: { ...before.metadata, generation: 8 } };
    const { after, ...result } = admitted(requesting, later);
    expect(result.names).toEqual(['foo-1', 'foo-1', 'zip']);
    expect(after.metadata.annotations?.[annotations.move]).toBeUndefined();
  });
});

describe('a pinned workload', () => {
  const pin = (text: string) => ({ [annotations.pin]: text });
  const toFoo1 = pin('configmap/foo=foo-1');

  test('gets the pinned versions, new or applied again', () => {
    const applied = web({ names: ['foo', 'bar'], annotations: toFoo1 });
    for (const before of [undefined, onFoo2]) {
      const result = admitted(applied, before);
      expect(result.names).toEqual(['foo-1', 'foo-1', 'bar-1']);
      expect(result.label).toBe(hash({ foo: 'foo-1', bar: 'bar-1' }));
    }
  });

  test('keeps what it has when the pin is not valid', () => {
    for (const text of ['true', 'configmap/foo=bar-1', 'configmap/foo=foo-9'])
      expect(admitted(web({ names: ['foo'], annotations: pin(text) }), onFoo1).names).toEqual([
        'foo-1',
        'foo-1',
      ]);
  });

  test('keeps versions that its author names', () => {
    const undone = web({ names: ['foo-2'], annotations: toFoo1, label: hash({ foo: 'foo-1' }) });
    const result = admitted(undone, onFoo1);
    expect(result.names).toEqual(['foo-2', 'foo-2']);
    expect(result.label).toBe(hash({ foo: 'foo-1' }));
  });
});

describe('a new workload', () => {
  test('starts with the current versions, in every place that names the config', () => {
    const result = admitted(web({ names: ['foo', 'bar'] }));
    expect(result.names).toEqual(['foo-2', 'foo-2', 'bar-1']);
    expect(result.label).toBe(hash({ foo: 'foo-2', bar: 'bar-1' }));
    expect(result.versionless).toEqual([]);
  });

  test('is left alone unless it opted in, as are configs that it did not name', () => {
    expect(admitted(web({ names: ['foo'], manage: '' })).patch).toEqual([]);
    expect(admitted(web({ names: ['foo'], manage: 'false' })).patch).toEqual([]);
    expect(admitted(web({ names: ['foo'], manage: 'not a name!' })).patch).toEqual([]);
    expect(admitted(web({ names: ['zip'] })).patch).toEqual([]);
    const some = admitted(web({ names: ['foo', 'bar'], manage: 'bar' }));
    expect(some.names).toEqual(['foo', 'foo', 'bar-1']);
    expect(some.label).toBe(hash({ bar: 'bar-1' }));
  });

  test('that wants to be reloaded gets its version all the same: there is no agent yet', () => {
    const reloading = { [annotations.restart]: 'false' };
    expect(admitted(web({ names: ['foo'], annotations: reloading })).names).toEqual(['foo-2', 'foo-2']);
  });

  test('whose config has no version yet says which, and gets the rest', () => {
    const result = admitted(web({ names: ['foo', 'baz'] }));
    expect(result.versionless).toEqual([{ kind: 'ConfigMap', name: 'baz' }]);
    expect(result.names).toEqual(['foo-2', 'foo-2', 'baz']);
    expect(result.label).toBe(hash({ foo: 'foo-2' }));
  });
});

describe('a manifest that is applied again', () => {
  test('changes nothing', () => {
    const again = { ...web({ names: ['foo'] }) };
    const result = admitted({ ...again, metadata: { ...again.metadata, ...onFoo2.metadata } }, onFoo2);
    expect(result.after).toEqual(onFoo2);
  });

  test('keeps what an activation assigned, though it is not current yet', () => {
    const result = admitted(web({ names: ['foo'], label: hash({ foo: 'foo-1' }) }), onFoo1);
    expect(result.names).toEqual(['foo-1', 'foo-1']);
    expect(result.label).toBe(hash({ foo: 'foo-1' }));
  });

  test('never goes on with content that was rejected', () => {
    const bad = web({ names: ['foo-3'], label: hash({ foo: 'foo-3' }) });
    const result = admitted(web({ names: ['foo'], label: hash({ foo: 'foo-3' }) }), bad);
    expect(result.names).toEqual(['foo-2', 'foo-2']);
    expect(result.label).toBe(hash({ foo: 'foo-2' }));
  });

  test('ends a pin: it names the original', () => {
    const pinned = web({ names: ['foo-1'], label: hash({ foo: 'foo-2' }) });
    expect(admitted(web({ names: ['foo'] }), pinned).names).toEqual(['foo-2', 'foo-2']);
  });

  test('with one more config gets the current version of that', () => {
    const result = admitted(web({ names: ['foo', 'bar'] }), onFoo1);
    expect(result.names).toEqual(['foo-1', 'foo-1', 'bar-1']);
    expect(result.label).toBe(hash({ foo: 'foo-1', bar: 'bar-1' }));
  });

  test('by `kubectl replace`, which drops label and annotations, gets back what is ours', () => {
    const record = '{"activation":"a-1"}';
    const moved = web({
      names: ['foo-1'],
      label: hash({ foo: 'foo-1' }),
      annotations: { [annotations.assignment]: record },
    });
    const result = admitted(web({ names: ['foo'], manage: '' }), moved);
    expect(result.names).toEqual(['foo-1', 'foo-1']);
    expect(result.label).toBe(hash({ foo: 'foo-1' }));
    expect(result.after.metadata.annotations).toEqual({ [annotations.assignment]: record });
    expect(result.warnings).toEqual([expect.stringContaining('It stays managed')]);
  });
});

describe('`kubectl rollout undo`', () => {
  test('is somebody’s choice: the versions stay, and the label no longer fits', () => {
    const undone = web({ names: ['foo-1'], label: hash({ foo: 'foo-2' }) });
    const result = admitted(undone, onFoo2);
    expect(result.after).toEqual(undone);
    expect(result.warnings).toEqual([]);
  });

  test('onto rejected content is warned of, with the way back', () => {
    const revision = { 'deployment.kubernetes.io/revision': '7' };
    const before = web({ names: ['foo-2'], label: hash({ foo: 'foo-2' }), annotations: revision });
    const result = admitted(web({ names: ['foo-3'], label: hash({ foo: 'foo-2' }) }), before);
    expect(result.patch).toEqual([]);
    expect(result.warnings).toEqual([
      'trimtab: version "1.0.2" of ConfigMap foo was rolled back before: container app: exit code 1',
      'trimtab: to recover: kubectl rollout undo deployment/web --to-revision=7',
    ]);
    // The warning appears once: a later change of the workload does not concern the content.
    expect(admitted(result.after, result.after).warnings).toEqual([]);
  });

  test('to a revision from before the opt-in keeps it managed, and says so', () => {
    const result = admitted(web({ names: ['foo'], manage: '', label: hash({ foo: 'foo-2' }) }), onFoo2);
    expect(result.names).toEqual(['foo-2', 'foo-2']);
    expect(result.warnings).toEqual([expect.stringContaining(annotations.manage)]);
  });
});

describe('any workload', () => {
  const name = fc.constantFrom('foo', 'foo-1', 'foo-2', 'foo-3', 'bar', 'bar-1', 'baz', 'zip');
  const label = fc.option(fc.constantFrom(hash({ foo: 'foo-1' }), hash({ foo: 'foo-2' }), 'stale'), {
    nil: undefined,
  });
  const manage = fc.constantFrom('true', 'false', '', 'foo', 'foo,bar', 'secret/foo');
  const shape = fc
    .record({ names: fc.array(name, { maxLength: 4 }), manage, label })
    .map(({ label: own, ...rest }) => web({ ...rest, ...(own !== undefined && { label: own }) }));

  test('is the same after a second review of the same request', () => {
    fc.assert(
      fc.property(shape, fc.option(shape, { nil: undefined }), (object, oldObject) => {
        const once = admitted(object, oldObject).after;
        expect(admitted(once, oldObject).after).toEqual(once);
      }),
    );
  });

  test('keeps the versions that it names, and differs in names and our marks only', () => {
    fc.assert(
      fc.property(shape, fc.option(shape, { nil: undefined }), (object, oldObject) => {
        const { after } = admitted(object, oldObject);
        const before = names(object);
        names(after).forEach((each, index) => {
          const old = before[index] ?? '';
          if (versions[old]) expect(each).toBe(old);
          else
            expect([old, ...Object.keys(versions).filter((key) => versions[key]?.config === old)]).toContain(
              each,
            );
        });
      }),
    );
  });

  test('never gets rejected content that it did not ask for', () => {
    fc.assert(
      fc.property(shape, fc.option(shape, { nil: undefined }), (object, oldObject) => {
        if (!names(object).includes('foo-3'))
          expect(admitted(object, oldObject).names).not.toContain('foo-3');
      }),
    );
  });
});

test('a manifest that opts out keeps the versions that were assigned, while opting out waits', () => {
  const waiting: AdmissionLookup = { ...lookup, managed: (_, __, assigned) => assigned };
  const before = web({ names: ['foo-1'], label: hash({ foo: 'foo-1' }) });
  const object = web({ names: ['foo', 'bar'], manage: 'false' });
  const { patch } = mutateWorkload(request(object, before), waiting);
  expect(names(apply(object, patch)).sort()).toEqual(['bar', 'foo-1', 'foo-1']);
});

describe('names that kustomize hashes', () => {
  const [one, two] = ['app-4gm5tbb84k', 'app-22h75k9fdk'];
  const generated: AdmissionLookup = {
    ...lookup,
    version: (_, object) =>
      [one, two].flatMap((config) =>
        object === `${config}-v` ? [{ config, name: '1.0.0', rejected: undefined }] : [],
      )[0],
    current: (_, config) => `${config}-v`,
  };
  const warnings = (now: string, before?: string) =>
    mutateWorkload(
      request(web({ names: [now] }), before === undefined ? undefined : web({ names: [before] })),
      generated,
    ).warnings;

  test('an update from one to the other warns, and names both', () => {
    expect(warnings(two, `${one}-v`)).toEqual([
      expect.stringMatching(
        /^trimtab: ConfigMap app-22h75k9fdk replaces app-4gm5tbb84k.*disableNameSuffixHash/,
      ),
    ]);
  });

  test.each([
    ['a new workload', one, undefined],
    ['a manifest that is applied again', one, `${one}-v`],
    ['an undo between versions', `${one}-v`, `${one}-v`],
    ['a config without a hash', two, 'foo-2'],
  ])('%s does not', (_, now, before) => {
    expect(warnings(now, before)).toEqual([]);
  });
});

describe('a workload that changes together with its config', () => {
  const green: typeof versions = {
    ...versions,
    'foo-4': { config: 'foo', name: '1.0.3', rejected: undefined },
  };
  const withGreen: AdmissionLookup = {
    ...lookup,
    version: (kind, object) => (kind === 'ConfigMap' ? green[object] : undefined),
  };
  const joined: JoinedActivation = {
    references: new Map([[configKey('ConfigMap', 'foo'), 'foo-4']]),
    record: {
      activation: 'a-1',
      previous: new Map([[configKey('ConfigMap', 'foo'), 'foo-2']]),
      previousLabel: hash({ foo: 'foo-2' }),
      joined: true,
      healthyTemplate: 't',
    },
  };
  const withNewImage = (object: WorkloadObject): WorkloadObject => {
    const copy = structuredClone(object);
    copy.spec?.template?.spec?.containers?.push({ name: 'new' });
    return copy;
  };
  const pinnedTo = (pin: string, object: WorkloadObject): WorkloadObject => {
    const { metadata } = object;
    return {
      ...object,
      metadata: { ...metadata, annotations: { ...metadata.annotations, [annotations.pin]: pin } },
    };
  };
  const joinable = (object: WorkloadObject, oldObject?: WorkloadObject) =>
    mutateWorkload(request(object, oldObject), withGreen).joinable.map(({ name }) => name);

  test.each([
    ['a manifest that names the config', web({ names: ['foo'] })],
    ['an apply that leaves the assigned version in place', onFoo2],
  ])('gets the version that was assigned to it, in %s', (_, object) => {
    const { patch } = mutateWorkload(request(withNewImage(object), onFoo2), withGreen, joined);
    const after = apply(withNewImage(object), patch);
    expect(names(after)).toEqual(['foo-4', 'foo-4']);
    expect(after.metadata.labels?.[labels.assigned]).toBe(hash({ foo: 'foo-4' }));
    expect(parseAssignmentRecord(after.metadata.annotations?.[annotations.assignment])).toEqual(
      joined.record,
    );
  });

  test('may join when its owner replaces its pods, and all its versions are those of Trimtab', () => {
    expect(joinable(withNewImage(web({ names: ['foo'] })), onFoo2)).toEqual(['foo']);
    expect(joinable(withNewImage(onFoo2), onFoo2)).toEqual(['foo']);
    expect(joinable(web({ names: ['foo'] }))).toEqual(['foo']);
  });

  test.each([
    ['nothing but the versions changes', web({ names: ['foo'] }), onFoo2],
    ['its author chose a version', withNewImage(onFoo1), onFoo2],
    ['its author names a version', web({ names: ['foo-1'] }), undefined],
    ['the request pins it', withNewImage(pinnedTo('foo=', onFoo2)), onFoo2],
    ['the request unpins it', withNewImage(onFoo2), pinnedTo('configmap/foo=foo-2', onFoo2)],
  ])('joins nothing when %s', (_, object, oldObject) => {
    expect(joinable(object, oldObject)).toEqual([]);
  });
});

describe('where admission writes versions into pods', () => {
  const versionsOf = (object: WorkloadObject) =>
    object.spec?.template?.metadata?.annotations?.[annotations.versions];
  const inAdmission = (object: WorkloadObject, oldObject?: WorkloadObject) => {
    const { patch } = mutateWorkload(request(object, oldObject), {
      ...lookup,
      referenceWay: () => 'admission',
    });
    const after = apply(object, patch);
    return {
      names: names(after),
      versions: versionsOf(after),
      label: after.metadata.labels?.[labels.assigned],
    };
  };
  /** A workload whose template assigns these versions, and names the configs. */
  const assigning = (versions: string | undefined, label?: string) => {
    const object = web({ names: ['foo', 'bar'], ...(label !== undefined && { label }) });
    const notes = { applied: 'yes', ...(versions !== undefined && { [annotations.versions]: versions }) };
    return {
      ...object,
      spec: { template: { ...object.spec?.template, metadata: { annotations: notes } } },
    };
  };
  const both = 'configmap/bar=bar-1,configmap/foo=foo-2';
  const label = hash({ foo: 'foo-2', bar: 'bar-1' });

  test('a new workload keeps its references, and its template assigns the current versions', () => {
    const plain = web({ names: ['foo', 'bar', 'zip'] });
    const template = { ...plain.spec?.template, metadata: { labels: { app: 'web' } } };
    expect(inAdmission({ ...plain, spec: { template } })).toEqual({
      names: ['foo', 'foo', 'bar', 'zip'],
      versions: both,
      label,
    });
  });

  test('a manifest that is applied again changes nothing, and what replace drops is restored', () => {
    const before = assigning('configmap/bar=bar-1,configmap/foo=foo-1', hash({ foo: 'foo-1', bar: 'bar-1' }));
    expect(inAdmission(before, before)).toMatchObject({ versions: versionsOf(before) });
    expect(inAdmission(assigning(undefined), before)).toMatchObject({
      versions: versionsOf(before),
      label: hash({ foo: 'foo-1', bar: 'bar-1' }),
    });
  });

  test('versions that a user chose in the annotation stay, also beside a config that is new', () => {
    const chosen = assigning('configmap/bar=bar-1,configmap/foo=foo-1', label);
    expect(inAdmission(chosen, assigning(both, label))).toMatchObject({
      versions: versionsOf(chosen),
      label,
    });
    expect(inAdmission(assigning('configmap/foo=foo-1', label), assigning(both, label))).toMatchObject({
      versions: 'configmap/bar=bar-1,configmap/foo=foo-1',
    });
  });

  test('a workload that wants the other way now gets it with a change of its owner: one rolling update', () => {
    const before = assigning(both, label);
    const inTemplate = (object: WorkloadObject) =>
      apply(object, mutateWorkload(request(object, before), lookup).patch);
    const after = inTemplate(before);
    expect(names(after)).toEqual(['foo-2', 'foo-2', 'bar-1']);
    expect(after.spec?.template?.metadata?.annotations).toEqual({ applied: 'yes' });
    expect(after.metadata.labels?.[labels.assigned]).toBe(label);
    const chosen = assigning('configmap/bar=bar-1,configmap/foo=foo-1', label);
    expect(versionsOf(inTemplate(chosen)), 'what a user chose stays').toBe(versionsOf(chosen));
    const others = assigning(`${both},configmap/other=other-1`, label);
    expect(versionsOf(inTemplate(others)), 'what is assigned to no reference has no effect').toBeUndefined();
  });

  test('an annotation that is not valid is replaced', () => {
    expect(inAdmission(assigning('nonsense', label), assigning(both, label))).toMatchObject({
      versions: both,
      label,
    });
  });
});
