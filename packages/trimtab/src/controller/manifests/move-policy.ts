import type { KubeObject } from '@trimtab/kube/wire.ts';
import { annotations, labels, ownLabels } from '../../api/names.ts';
import { cel } from './guard.ts';
import { type Installation, namespaceSelector } from './installation.ts';
import { changesOfNames, entriesIn } from './reference-expressions.ts';

/**
 * A MutatingAdmissionPolicy that makes the changes of references which the controller requests in `trimtab.dev/move`, as
 * the webhook of workloads does: inside the API server, without a call. Kubernetes serves the kind from 1.36 on.
 *
 * failurePolicy Ignore: a request that cannot be evaluated has no effect, and the controller then changes the references
 * itself.
 */
export function movePolicy(names: Installation): KubeObject[] {
  const metadata = { name: `${names.prefix}-moves`, labels: ownLabels };
  const policy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicy',
    metadata,
    spec: {
      failurePolicy: 'Ignore',
      reinvocationPolicy: 'Never',
      matchConstraints: {
        namespaceSelector: namespaceSelector(names),
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
          jsonPatch: {
            expression: [...changesOfNames(places, 'variables.names'), ...metadataChanges()].join('\n+ '),
          },
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
  names: `variables.parts[2] == '' ? {} : ${entriesIn('variables.parts[2]')}`,
};

const places = {
  spec: 'object.spec.template.spec',
  path: '/spec/template/spec',
  containers: ['containers', 'initContainers'],
} as const;

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
