import { type FieldError, invalid, notSupported, required } from '../../errors/field-error.ts';
import { pathSegment } from '../../meta/names.ts';
import type { ApiObject } from '../../object.ts';
import { ageColumn, nameColumn, plainColumns } from '../../representation/columns.ts';
import { defineKind } from '../define-kind.ts';
import type { Column } from '../kind.ts';

const group = 'rbac.authorization.k8s.io';

interface PolicyRule {
  verbs: string[] | null;
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

interface RoleObject extends ApiObject {
  rules: PolicyRule[] | null;
  aggregationRule?: object;
}

interface Subject {
  kind: string;
  apiGroup?: string;
  name: string;
  namespace?: string;
}

interface BindingObject extends ApiObject {
  roleRef: { apiGroup: string; kind: string; name: string };
  subjects?: Subject[];
}

function role(kind: string, namespaced: boolean, hash: string) {
  return defineKind<RoleObject>({
    group,
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced,
    storageVersionHash: hash,
    definition: `io.k8s.api.rbac.v1.${kind}`,
    createOnUpdate: true,
    strategy: { nameRule: pathSegment, validate: (object) => validateRules(object.rules ?? [], namespaced) },
    columns: plainColumns,
  });
}

function validateRules(rules: readonly PolicyRule[], namespaced: boolean): FieldError[] {
  return rules.flatMap((rule, index) => {
    const path = `rules[${index}]`;
    const { verbs, apiGroups = [], resources = [], nonResourceURLs = [] } = rule;
    const errors: FieldError[] = [];
    if ((verbs ?? []).length === 0)
      errors.push(required(`${path}.verbs`, 'verbs must contain at least one value'));
    if (nonResourceURLs.length > 0) {
      if (namespaced)
        errors.push(
          invalid(
            `${path}.nonResourceURLs`,
            nonResourceURLs,
            'namespaced rules cannot apply to non-resource URLs',
          ),
        );
      return errors;
    }
    if (apiGroups.length === 0)
      errors.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
    if (resources.length === 0)
      errors.push(required(`${path}.resources`, 'resource rules must supply at least one resource'));
    return errors;
  });
}

function binding(kind: string, namespaced: boolean, hash: string) {
  return defineKind<BindingObject>({
    group,
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced,
    storageVersionHash: hash,
    definition: `io.k8s.api.rbac.v1.${kind}`,
    createOnUpdate: true,
    strategy: {
      nameRule: pathSegment,
      defaults({ roleRef, subjects = [] }) {
        roleRef.apiGroup ||= group;
        for (const subject of subjects)
          if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ??= group;
      },
      validate: (object) => validateBinding(object, namespaced),
      validateUpdate: (object, old) => [
        ...validateBinding(object, namespaced),
        ...(JSON.stringify(sorted(object.roleRef)) === JSON.stringify(sorted(old.roleRef))
          ? []
          : [invalid('roleRef', asInGo(object.roleRef), 'cannot change roleRef')]),
      ],
    },
    columns: bindingColumns,
  });
}

/** The message shows the value as Go prints its struct. */
function asInGo({ apiGroup, kind, name }: BindingObject['roleRef']): object {
  return { APIGroup: apiGroup, Kind: kind, Name: name };
}

function sorted({ apiGroup, kind, name }: BindingObject['roleRef']): object {
  return { apiGroup, kind, name };
}

function validateBinding({ roleRef, subjects = [] }: BindingObject, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (roleRef.apiGroup !== group) errors.push(notSupported('roleRef.apiGroup', roleRef.apiGroup, [group]));
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  if (!kinds.includes(roleRef.kind)) errors.push(notSupported('roleRef.kind', roleRef.kind, kinds));
  if (roleRef.name === '') errors.push(required('roleRef.name'));
  else errors.push(...pathSegment(roleRef.name).map((each) => invalid('roleRef.name', roleRef.name, each)));
  for (const [index, subject] of subjects.entries()) {
    const path = `subjects[${index}]`;
    if (subject.name === '') errors.push(required(`${path}.name`));
    if (!['ServiceAccount', 'User', 'Group'].includes(subject.kind))
      errors.push(notSupported(`${path}.kind`, subject.kind, ['ServiceAccount', 'User', 'Group']));
    else if (subject.kind === 'ServiceAccount' && !subject.namespace && !namespaced)
      errors.push(required(`${path}.namespace`));
  }
  return errors;
}

const bindingColumns: readonly Column<BindingObject>[] = [
  nameColumn,
  { name: 'Role', value: ({ roleRef }) => `${roleRef.kind}/${roleRef.name}` },
  ageColumn,
  { name: 'Users', priority: 1, value: (object) => subjectsText(object, 'User') },
  { name: 'Groups', priority: 1, value: (object) => subjectsText(object, 'Group') },
  { name: 'ServiceAccounts', priority: 1, value: (object) => subjectsText(object, 'ServiceAccount') },
];

function subjectsText({ subjects = [] }: BindingObject, wanted: string): string {
  return subjects
    .filter(({ kind }) => kind === wanted)
    .map(({ name, namespace }) => (wanted === 'ServiceAccount' && namespace ? `${namespace}/${name}` : name))
    .join(', ');
}

export const roles = role('Role', true, '7FuwZcIIItM=');
export const clusterRoles = role('ClusterRole', false, 'bYE5ZWDrJ44=');
export const roleBindings = binding('RoleBinding', true, 'eGsCzGH6b1g=');
export const clusterRoleBindings = binding('ClusterRoleBinding', false, '48tpQ8gZHFc=');
