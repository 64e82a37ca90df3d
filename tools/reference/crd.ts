import { customResourceDefinition as definition } from 'trimtab/controller/manifests/custom-resource-definition.ts';
import { stringify } from 'yaml';

/** deploy/crd.yaml: the CustomResourceDefinition of ConfigRollout. */
export function customResourceDefinition(): string {
  const header = '# Generated from packages/trimtab/src/api/config-rollout.ts by `npm run generate`.\n';
  return header + stringify(definition(), { lineWidth: 0, aliasDuplicateObjects: false });
}
