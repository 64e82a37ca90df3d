import { stringify } from 'yaml';
import { customResourceDefinition as definition } from '../../src/controller/manifests/custom-resource-definition.ts';

/** deploy/crd.yaml: the CustomResourceDefinition of ConfigRollout. */
export function customResourceDefinition(): string {
  const header = '# Generated from src/api/config-rollout.ts by `npm run generate`.\n';
  return header + stringify(definition(), { lineWidth: 0, aliasDuplicateObjects: false });
}
