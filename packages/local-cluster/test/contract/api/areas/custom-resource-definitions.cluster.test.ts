import { envelope, field, flag } from '@trimtab/test-bed/fakes/protobuf-body.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { invalid, type Refusal, refuses } from '../statuses.ts';
import type { Target } from '../target.ts';
import { dns1035Label } from '../texts.ts';
import { definition, groupOf, widget, widgetPath, widgets } from '../widgets.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const withSchema = (properties: object, more: object = {}) => ({
  schema: {
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties, ...more } } },
  },
});
const rule = (text: string, more: object = {}) =>
  withSchema(
    { a: { type: 'integer' }, b: { type: 'string' } },
    { 'x-kubernetes-validations': [{ rule: text, ...more }] },
  );

type Definition = ReturnType<typeof definition>;

/** A definition with a separate name, as the one of the widgets may exist. */
function gadgets(target: Target, version: object): Definition {
  const object = definition(target, {}, version);
  const [first] = object.spec.versions;
  object.metadata.name = `gadgets.${groupOf(target)}`;
  object.spec.names = {
    plural: 'gadgets',
    singular: 'gadget',
    kind: 'Gadget',
    shortNames: [],
    categories: [],
  };
  object.spec.versions =
    first === undefined
      ? []
      : [{ ...first, subresources: undefined, selectableFields: undefined } as unknown as typeof first];
  return object;
}

const badSchemas: [why: string, version: object, expected: Refusal][] = [
  [
    'no schema',
    { schema: undefined },
    invalid(
      'CustomResourceDefinition.apiextensions.k8s.io',
      'gadgets.NAMESPACE.example.com',
      'spec.versions[0].schema.openAPIV3Schema: Required value',
    ),
  ],
  [
    'a property without a type',
    withSchema({ a: {} }),
    invalid(
      'CustomResourceDefinition.apiextensions.k8s.io',
      'gadgets.NAMESPACE.example.com',
      'spec.validation.openAPIV3Schema.properties[spec].properties[a].type: Required value: must not be empty for specified object fields',
    ),
  ],
  [
    'a type that is none',
    withSchema({ a: { type: 'number?' } }),
    invalid(
      'CustomResourceDefinition.apiextensions.k8s.io',
      'gadgets.NAMESPACE.example.com',
      'spec.validation.openAPIV3Schema.properties[spec].properties[a].type: Unsupported value: "number?": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ),
  ],
  [
    'items without a schema',
    withSchema({ a: { type: 'array' } }),
    invalid(
      'CustomResourceDefinition.apiextensions.k8s.io',
      'gadgets.NAMESPACE.example.com',
      'spec.validation.openAPIV3Schema.properties[spec].properties[a].items: Required value: must be specified',
    ),
  ],
  [
    'a default that its own schema refuses',
    withSchema({ a: { type: 'integer', default: 'x' } }),
    invalid('CustomResourceDefinition.apiextensions.k8s.io', 'gadgets.NAMESPACE.example.com', [
      'FieldValueTypeInvalid',
      'spec.validation.openAPIV3Schema.properties[spec].properties[a].default: Invalid value: "string":  in body must be of type integer: "string"',
    ]),
  ],
  [
    'a pattern that is none',
    withSchema({ a: { type: 'string', pattern: '(' } }),
    invalid(
      'CustomResourceDefinition.apiextensions.k8s.io',
      'gadgets.NAMESPACE.example.com',
      `spec.validation.openAPIV3Schema.properties[spec].properties[a].pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): \`(\``,
    ),
  ],
  [
    'a rule that cannot be compiled',
    rule('self.a >'),
    invalid(
      'CustomResourceDefinition.apiextensions.k8s.io',
      'gadgets.NAMESPACE.example.com',
      `spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.a \\u003e","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: …`,
    ),
  ],
  [
    'a rule about a field that is not there',
    rule('self.c > 1'),
    invalid(
      'CustomResourceDefinition.apiextensions.k8s.io',
      'gadgets.NAMESPACE.example.com',
      `spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.c \\u003e 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: …`,
    ),
  ],
  [
    'a rule that is no condition',
    rule('self.a + 1'),
    invalid(
      'CustomResourceDefinition.apiextensions.k8s.io',
      'gadgets.NAMESPACE.example.com',
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.a + 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: cel expression must evaluate to a bool',
    ),
  ],
  [
    'a rule that compares apples and pears',
    rule('self.a == self.b'),
    invalid(
      'CustomResourceDefinition.apiextensions.k8s.io',
      'gadgets.NAMESPACE.example.com',
      `spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.a == self.b","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: …`,
    ),
  ],
  [
    'an empty message',
    rule('self.a > 1', { message: ' ' }),
    invalid(
      'CustomResourceDefinition.apiextensions.k8s.io',
      'gadgets.NAMESPACE.example.com',
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].message: Invalid value: " ": must be non-empty if specified',
    ),
  ],
  [
    'a printer column without a path',
    { additionalPrinterColumns: [{ name: 'X', type: 'string' }] },
    invalid(
      'CustomResourceDefinition.apiextensions.k8s.io',
      'gadgets.NAMESPACE.example.com',
      'spec.additionalPrinterColumns[0].JSONPath: Required value',
    ),
  ],
];

const badDefinitions: [why: string, change: (object: Definition) => object, expected: Refusal][] = [
  [
    'a name that is not plural and group',
    (object) => ({ ...object, metadata: { name: 'things.example.com' } }),
    invalid(
      'CustomResourceDefinition.apiextensions.k8s.io',
      'things.example.com',
      'metadata.name: Invalid value: "things.example.com": must be spec.names.plural+"."+spec.group',
    ),
  ],
  [
    'no storage version',
    ({ spec, ...object }) => ({
      ...object,
      spec: { ...spec, versions: spec.versions.map((each) => ({ ...each, storage: false })) },
    }),
    invalid(
      'CustomResourceDefinition.apiextensions.k8s.io',
      'gadgets.NAMESPACE.example.com',
      'spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version',
      'status.storedVersions: Invalid value: null: must have at least one stored version',
    ),
  ],
  [
    'a scope that is none',
    ({ spec, ...object }) => ({ ...object, spec: { ...spec, scope: 'Galaxy' } }),
    invalid(
      'CustomResourceDefinition.apiextensions.k8s.io',
      'gadgets.NAMESPACE.example.com',
      'spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"',
    ),
  ],
  [
    'no versions',
    ({ spec, ...object }) => ({ ...object, spec: { ...spec, versions: [] } }),
    invalid(
      'CustomResourceDefinition.apiextensions.k8s.io',
      'gadgets.NAMESPACE.example.com',
      'spec.versions: Invalid value: []: must have exactly one version marked as storage version',
      'status.storedVersions: Invalid value: null: must have at least one stored version',
    ),
  ],
  [
    'a kind with an underscore',
    ({ spec, ...object }) => ({ ...object, spec: { ...spec, names: { ...spec.names, kind: 'not_a_kind' } } }),
    invalid(
      'CustomResourceDefinition.apiextensions.k8s.io',
      'gadgets.NAMESPACE.example.com',
      `spec.names.kind: Invalid value: "not_a_kind": may have mixed case, but should otherwise match: ${dns1035Label}`,
      `spec.names.listKind: Invalid value: "not_a_kindList": may have mixed case, but should otherwise match: ${dns1035Label}`,
    ),
  ],
];

contract('custom resource definitions', (it) => {
  it('a definition becomes established, and tells what it took', async (target) => {
    await widgets(target);
    const { body } = await target.api.get(`${crds}/widgets.${groupOf(target)}`);
    const { conditions, acceptedNames, storedVersions } = body['status'] as {
      conditions: { type: string; status: string }[];
      acceptedNames: object;
      storedVersions: string[];
    };
    expect(conditions.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'NamesAccepted=True',
      'Established=True',
    ]);
    expect(acceptedNames).toEqual({
      plural: 'widgets',
      singular: 'widget',
      shortNames: ['wd'],
      kind: 'Widget',
      listKind: 'WidgetList',
      categories: ['everything'],
    });
    expect(storedVersions).toEqual(['v1']);
    expect(body['spec']).toMatchObject({
      conversion: { strategy: 'None' },
      names: { listKind: 'WidgetList' },
    });
  });

  it('the kind is in discovery', async (target) => {
    await widgets(target);
    const { body } = await waitFor('the group is in discovery', async () => {
      const answer = await target.api.get(`/apis/${groupOf(target)}/v1`);
      return answer.code === 200 ? { met: answer } : { seen: answer.text };
    });
    const [entry] = body['resources'] as object[];
    expect(entry).toMatchObject({
      name: 'widgets',
      singularName: 'widget',
      namespaced: true,
      kind: 'Widget',
      shortNames: ['wd'],
      categories: ['everything'],
    });
    expect((body['resources'] as { name: string }[]).map(({ name }) => name)).toEqual([
      'widgets',
      'widgets/status',
      'widgets/scale',
    ]);
  });

  it('the schema is in /openapi/v3', async (target) => {
    await widgets(target);
    const path = `apis/${groupOf(target)}/v1`;
    const found = await waitFor('the schema is published', async () => {
      const { code, body } = await target.api.get(`/openapi/v3/${path}`);
      return code === 200 ? { met: JSON.stringify(body) } : { seen: String(code) };
    });
    expect(found).toContain('"x-kubernetes-group-version-kind"');
    expect(found).toContain('"enum":["red","green"]');
  });

  it('a rule about a field that is not there is told with its place', async (target) => {
    const { body } = await target.api.post(crds, gadgets(target, rule('self.a > 1 && self.c > 1')));
    expect(body['message']).toContain(
      "compilation failed: ERROR: <input>:1:19: undefined field 'c'\n | self.a > 1 && self.c > 1\n | ..................^",
    );
  });

  it('a rule that is no CEL is told as a syntax error, with its place', async (target) => {
    const { body } = await target.api.post(crds, gadgets(target, rule('self.a = 1')));
    expect(body['message']).toContain('compilation failed: ERROR: <input>:1:8: Syntax error: ');
  });

  it('rules may ask whether a list is sorted, and for its sum and its ends', async (target) => {
    const numbers = { numbers: { type: 'array', items: { type: 'integer' }, maxItems: 9 } };
    const rules = [
      'self.numbers.isSorted()',
      'self.numbers.sum() % 2 == 0',
      'self.numbers.min() < self.numbers.max()',
      'self.numbers.indexOf(3) <= self.numbers.lastIndexOf(3)',
    ].map((text) => ({ rule: text }));
    const version = withSchema(numbers, { 'x-kubernetes-validations': rules });
    const { code } = await target.api.post(crds, gadgets(target, version), { query: { dryRun: 'All' } });
    expect(code).toBe(201);
  });

  it('a definition in protobuf has the schema that it has in JSON', async (target) => {
    const type = (name: string) => field(5, name);
    const property = (name: string, ...schema: Buffer[]) => field(29, field(1, name), field(2, ...schema));
    const schema = [
      type('object'),
      property('list', type('array'), field(24, field(1, type('string'))), field(42, 'set')),
      property('map', type('object'), field(30, flag(1, true), field(2, type('integer')))),
      property('free', type('object'), flag(38, true)),
    ];
    const group = groupOf(target);
    const names = field(
      3,
      field(1, 'gadgets'),
      field(2, 'gadget'),
      field(4, 'Gadget'),
      field(5, 'GadgetList'),
    );
    const version = field(7, field(1, 'v1'), flag(2, true), flag(3, true), field(4, field(1, ...schema)));
    const { code, body } = await target.api.post(
      crds,
      envelope(
        'apiextensions.k8s.io/v1',
        'CustomResourceDefinition',
        field(1, field(1, `gadgets.${group}`)),
        field(2, field(1, group), names, field(4, 'Namespaced'), version),
      ),
      { query: { dryRun: 'All' }, headers: { 'content-type': 'application/vnd.kubernetes.protobuf' } },
    );
    expect(code).toBe(201);
    expect((body as unknown as Definition).spec.versions[0]).toMatchObject({
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            list: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
            map: { type: 'object', additionalProperties: { type: 'integer' } },
            free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      },
    });
  });

  for (const [why, version, expected] of badSchemas)
    it(
      `a schema with ${why} is refused`,
      refuses(async (target) => {
        const answer = await target.api.post(crds, gadgets(target, version));
        // Messages of the compiler and their layout differ between the engines.
        return {
          ...answer,
          text: answer.text.replaceAll(/compilation failed: (?:[^"\\]|\\.)*/g, 'compilation failed: …'),
        };
      }, expected),
    );

  for (const [why, change, expected] of badDefinitions)
    it(
      `a definition with ${why} is refused`,
      refuses((target) => target.api.post(crds, change(gadgets(target, {}))), expected),
    );

  it('a definition that goes takes its objects along', async (target) => {
    const object = gadgets(target, withSchema({ size: { type: 'integer' } }));
    await target.api.post(crds, object);
    const path = target.group(`${groupOf(target)}/v1`, 'gadgets');
    const gadget = { ...widget(target, 'last'), kind: 'Gadget' };
    await waitFor('the kind is served', async () => {
      const { code } = await target.api.post(path, gadget);
      return code === 201 ? { met: true } : { seen: String(code) };
    });
    const { code, body } = await target.api.delete(`${crds}/${object.metadata.name}`);
    expect(code).toBe(200);
    expect(body.kind).toMatch(/^(Status|CustomResourceDefinition)$/);
    await waitFor('the kind has gone', async () => {
      const { code } = await target.api.get(`${path}/last`);
      const { code: defined } = await target.api.get(`${crds}/${object.metadata.name}`);
      return code === 404 && defined === 404 ? { met: true } : { seen: `${code} ${defined}` };
    });
  });

  it('a changed schema holds for what is written then', async (target) => {
    await widgets(target);
    await target.api.post(widgetPath(target), widget(target, 'old', { size: 90 }));
    const changed = definition(target);
    const text = JSON.stringify(changed).replaceAll('"maximum":100', '"maximum":50');
    const path = `${crds}/widgets.${groupOf(target)}`;
    const { spec } = JSON.parse(text);
    expect((await target.api.patch(path, 'merge', { spec })).code).toBe(200);
    await waitFor('the new schema is in force', async () => {
      const { code } = await target.api.post(widgetPath(target), widget(target, 'new', { size: 90 }), {
        query: { dryRun: 'All' },
      });
      return code === 422 ? { met: true } : { seen: String(code) };
    });
    expect((await target.api.get(widgetPath(target, 'old'))).body['spec']).toMatchObject({ size: 90 });
    await target.api.patch(path, 'merge', { spec: definition(target).spec });
  });
});
