import { type ConfigRef, roleRules } from './source/config.ts';

/** Roles with the rights that the agent needs, as YAML. JSON strings and lists are valid YAML. */
export function roleManifest(refs: readonly ConfigRef[]): string {
  const documents = [...roleRules(refs)].map(([namespace, rules]) =>
    [
      'apiVersion: rbac.authorization.k8s.io/v1',
      'kind: Role',
      'metadata:',
      '  name: trimtab-agent',
      `  namespace: ${JSON.stringify(namespace)}`,
      'rules:',
      ...rules.flatMap(({ apiGroups, resources, resourceNames, verbs }) => [
        `- apiGroups: ${JSON.stringify(apiGroups)}`,
        `  resources: ${JSON.stringify(resources)}`,
        `  resourceNames: ${JSON.stringify(resourceNames)}`,
        `  verbs: ${JSON.stringify(verbs)}`,
      ]),
      '',
    ].join('\n'),
  );
  return documents.join('---\n');
}
