import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { once, type Target } from './target.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Every area has a separate group, so areas that run concurrently do not interfere. */
export const groupOf = ({ namespace }: Target) => `${namespace}.example.com`;
export const widgetPath = (target: Target, name = '') =>
  target.group(`${groupOf(target)}/v1`, name === '' ? 'widgets' : `widgets/${name}`);

export const widget = (target: Target, name: string, spec: object = {}, more: object = {}) => ({
  apiVersion: `${groupOf(target)}/v1`,
  kind: 'Widget',
  metadata: { name },
  spec: { size: 1, ...spec },
  ...more,
});

const schema = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 0, maximum: 100 },
        colour: { type: 'string', enum: ['red', 'green'], default: 'green' },
        code: { type: 'string', pattern: '^[A-Z]{3}$', maxLength: 3 },
        tags: {
          type: 'array',
          maxItems: 3,
          items: { type: 'string', maxLength: 20 },
          'x-kubernetes-list-type': 'set',
        },
        parts: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, count: { type: 'integer', default: 1 } },
          },
        },
        labels: { type: 'object', maxProperties: 2, additionalProperties: { type: 'string' } },
        share: { 'x-kubernetes-int-or-string': true },
        maybe: { type: 'string', nullable: true },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        nested: {
          type: 'object',
          default: {},
          properties: { depth: { type: 'integer', default: 5 }, on: { type: 'boolean' } },
        },
        replicas: { type: 'integer' },
        min: { type: 'integer' },
        max: { type: 'integer' },
        fixed: {
          type: 'string',
          'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed cannot be changed' }],
        },
        risen: {
          type: 'string',
          maxLength: 9,
          'x-kubernetes-validations': [
            {
              rule: 'oldSelf.hasValue() ? self >= oldSelf.value() : self == "a"',
              optionalOldSelf: true,
              message: 'risen begins with a, and never falls',
            },
          ],
        },
        date: { type: 'string', format: 'date-time' },
      },
      'x-kubernetes-validations': [
        {
          rule: '!has(self.min) || !has(self.max) || self.min <= self.max',
          message: 'min must not be greater than max',
          fieldPath: '.min',
        },
        {
          rule: "!has(self.tags) || self.tags.all(tag, tag.startsWith('t'))",
          messageExpression: "'tags must begin with t, not as in ' + self.tags[0]",
          reason: 'FieldValueForbidden',
        },
        { rule: "self.colour != 'red' || self.size > 1" },
      ],
    },
    status: {
      type: 'object',
      properties: {
        phase: { type: 'string' },
        replicas: { type: 'integer' },
        selector: { type: 'string' },
        observedGeneration: { type: 'integer' },
      },
    },
  },
} as const;

export function definition(target: Target, more: object = {}, version: object = {}) {
  const group = groupOf(target);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        plural: 'widgets',
        singular: 'widget',
        kind: 'Widget',
        shortNames: ['wd'],
        categories: ['everything'],
      },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          subresources: {
            status: {},
            scale: {
              specReplicasPath: '.spec.replicas',
              statusReplicasPath: '.status.replicas',
              labelSelectorPath: '.status.selector',
            },
          },
          selectableFields: [{ jsonPath: '.spec.colour' }],
          additionalPrinterColumns: [
            { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'How large it is' },
            { name: 'Colour', type: 'string', jsonPath: '.spec.colour' },
            { name: 'Phase', type: 'string', jsonPath: '.status.phase', priority: 1 },
            { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          ],
          ...version,
        },
        {
          name: 'v1beta1',
          served: true,
          storage: false,
          schema: { openAPIV3Schema: { ...schema, description: 'The older one' } },
        },
      ],
      ...more,
    },
  };
}

/** Waits until the kind is in discovery, where kubectl finds it; that is later than it is served. */
export async function discovered(target: Target): Promise<void> {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  await waitFor('the kind is in discovery', async () => {
    const { body } = await target.api.get('/apis', { headers: { accept } });
    const group = body.items.find(({ metadata }) => metadata.name === groupOf(target));
    return JSON.stringify(group)?.includes('"widgets"') ? { met: true } : { seen: JSON.stringify(group) };
  });
}

/** Defines the kind, and waits until it is served. */
export const widgets = once(async (target: Target) => {
  await target.createForAll(crds, definition(target));
  await waitFor('the kind is served', async () => {
    const { code } = await target.api.get(widgetPath(target));
    return code === 200 ? { met: true } : { seen: String(code) };
  });
});
