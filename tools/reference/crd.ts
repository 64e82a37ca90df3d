import { customResourceDefinitions as definitions } from 'trimtab/controller/manifests/custom-resource-definition.ts';
import { stringify } from 'yaml';

/** deploy/crd.yaml: the CustomResourceDefinitions of Trimtab. */
export function customResourceDefinitions(): string {
  const header = '# Generated from packages/trimtab/src/api by `npm run generate`.\n';
  const texts = definitions().map((each) => stringify(each, { lineWidth: 0, aliasDuplicateObjects: false }));
  return header + texts.join('---\n');
}
