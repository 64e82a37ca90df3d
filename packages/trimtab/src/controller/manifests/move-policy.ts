import type { KubeObject } from '@trimtab/kube/wire.ts';
import { annotations, labels, ownLabels } from '../../api/names.ts';
import { cel } from './guard.ts';
import { installation, namespaceSelector } from './installation.ts';

/**
 * A MutatingAdmissionPolicy that makes the changes of references which the controller requests in `trimtab.dev/move`, as
 * the webhook of workloads does: inside the API server, without a call. Kubernetes serves the kind from 1.36 on.
 *
 * failurePolicy Ignore: a request that cannot be evaluated has no effect, and the controller then changes the references
 * itself.
 */
export function movePolicy(namespace: string | undefined): KubeObject[] {
  const metadata = { name: `${installation(namespace).prefix}-moves`, labels: ownLabels };
  const policy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicy',
    metadata,
    spec: {
      failurePolicy: 'Ignore',
      reinvocationPolicy: 'Never',
      matchConstraints: {
        namespaceSelector: namespaceSelector(namespace),
        resourceRules: [
          {
            apiGroups: ['apps'],
            apiVersions: ['v1'],
            operations: ['UPDATE'],
            resources: ['deployments', 'statefulsets', 'daemonsets'],
          },
        ],
      },
      matchConditions: [
        {
          name: 'requests-a-move',
          expression: `${move('object')} != '' && ${move('object')} != ${move('oldObject')}`,
        },
        {
          name: 'of-this-generation',
          expression: `${move('object')}.split(' ')[0] == string(oldObject.metadata.generation)`,
        },
      ],
      variables: Object.entries(variables).map(([name, expression]) => ({ name, expression })),
      mutations: [
        {
          patchType: 'JSONPatch',
          jsonPatch: { expression: [...referenceChanges(), ...metadataChanges()].join('\n+ ') },
        },
      ],
    },
  };
  const binding = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicyBinding',
    metadata,
    spec: { policyName: metadata.name },
  };
  return [policy, binding];
}

function move(object: string): string {
  return `${object}.metadata.?annotations[?${cel(annotations.move)}].orValue('')`;
}

/** The parts of the annotation, as `formatMove` writes them. */
const variables = {
  parts: `${move('object')}.split(' ', 4)`,
  names:
    "variables.parts[2] == '' ? {} : variables.parts[2].split(',').transformMapEntry(i, p, {p.split('=')[0]: p.split('=')[1]})",
  spec: 'object.spec.template.spec',
};

/** A field that names a config, below the item of a list. */
interface NameField {
  kind: 'ConfigMap' | 'Secret';
  steps: readonly [string, ...string[]];
  name: string;
}

const volumeFields: NameField[] = [
  { kind: 'ConfigMap', steps: ['configMap'], name: 'name' },
  { kind: 'Secret', steps: ['secret'], name: 'secretName' },
];
const sourceFields: NameField[] = [
  { kind: 'ConfigMap', steps: ['configMap'], name: 'name' },
  { kind: 'Secret', steps: ['secret'], name: 'name' },
];
const envFields: NameField[] = [
  { kind: 'ConfigMap', steps: ['valueFrom', 'configMapKeyRef'], name: 'name' },
  { kind: 'Secret', steps: ['valueFrom', 'secretKeyRef'], name: 'name' },
];
const envFromFields: NameField[] = [
  { kind: 'ConfigMap', steps: ['configMapRef'], name: 'name' },
  { kind: 'Secret', steps: ['secretRef'], name: 'name' },
];

/** One CEL expression for each place where a pod template names a config; together those of `findReferences`. */
function referenceChanges(): string[] {
  const volumes = 'variables.spec.?volumes.orValue([])';
  const [path, item] = ["'/spec/template/spec/volumes/' + string(i)", 'v'];
  return [
    ...volumeFields.map((field) => changed({ list: volumes, index: 'i', item, path }, field)),
    ...sourceFields.map((field) => {
      const sources = {
        list: 'v.projected.sources',
        index: 'j',
        item: 's',
        path: `${path} + '/projected/sources/' + string(j)`,
      };
      return `${volumes}.transformList(i, v, has(v.projected) && has(v.projected.sources), ${changed(sources, field)}).flatten()`;
    }),
    ...['containers', 'initContainers'].flatMap((list) => [
      ...envFields.map((field) => inContainers(list, 'env', field)),
      ...envFromFields.map((field) => inContainers(list, 'envFrom', field)),
    ]),
  ];
}

function inContainers(containers: string, list: string, field: NameField): string {
  const path = `'/spec/template/spec/${containers}/' + string(i) + '/${list}/' + string(j)`;
  const inner = changed({ list: `c.${list}`, index: 'j', item: 'e', path }, field);
  return `variables.spec.?${containers}.orValue([]).transformList(i, c, has(c.${list}), ${inner}).flatten()`;
}

interface List {
  list: string;
  /** The variables of the expression for the index and the item. */
  index: string;
  item: string;
  /** CEL expression of the JSON pointer to the item. */
  path: string;
}

function changed({ list, index, item, path }: List, { kind, steps, name }: NameField): string {
  const parents = steps.map((_, depth) => [item, ...steps.slice(0, depth + 1)].join('.'));
  const field = [item, ...steps, name].join('.');
  const has = [...parents, field].map((each) => `has(${each})`).join(' && ');
  const key = `${cel(`${kind}/`)} + ${field}`;
  const pointer = `${path} + '/${[...steps, name].join('/')}'`;
  return `${list}.transformList(${index}, ${item}, ${has} && (${key}) in variables.names, JSONPatch{op: "replace", path: ${pointer}, value: variables.names[${key}]})`;
}

/** Sets label and record, or removes them, and removes the request. */
function metadataChanges(): string[] {
  const label = entryChange('labels', labels.assigned, 'variables.parts[1]');
  const record = entryChange('annotations', annotations.assignment, 'variables.parts[3]');
  return [label, record, `[JSONPatch{op: "remove", path: ${entryPath('annotations', annotations.move)}}]`];
}

function entryChange(map: 'labels' | 'annotations', key: string, value: string): string {
  const its = `object.metadata.?${map}.orValue({})`;
  const path = entryPath(map, key);
  const removed = `(${cel(key)} in ${its} ? [JSONPatch{op: "remove", path: ${path}}] : [])`;
  const entry = `[JSONPatch{op: "add", path: ${path}, value: ${value}}]`;
  // The request is an annotation, so that the object has annotations.
  const first = `[JSONPatch{op: "add", path: "/metadata/labels", value: {${cel(key)}: ${value}}}]`;
  const added = map === 'labels' ? `(has(object.metadata.labels) ? ${entry} : ${first})` : entry;
  return `(${value} == '-' ? ${removed} : ${added})`;
}

function entryPath(map: string, key: string): string {
  return `"/metadata/${map}/" + jsonpatch.escapeKey(${cel(key)})`;
}
