import type { Kind } from '../kinds/kind.ts';
import { type FieldSet, setOf } from './field-set.ts';

const metadata = (...fields: string[]) => fields.map((field) => ['f:metadata', `f:${field}`]);

/** Fields that a write of the status ignores in addition to the spec. */
const besideSpec: Readonly<Record<string, string[][]>> = {
  Deployment: metadata('labels'),
  Pod: metadata('deletionTimestamp', 'ownerReferences'),
  ValidatingAdmissionPolicy: [['f:metadata']],
};

/** Returns the fields that a write of the object or subresource ignores; the writer does not become their manager. */
export function resetFields(kind: Kind, subresource: string): FieldSet {
  if (subresource === 'status') {
    const more = kind.custom === undefined ? (besideSpec[kind.kind] ?? []) : [['f:metadata']];
    return setOf(['f:spec'], ...more);
  }
  const rules = kind.strategy.subresources?.[subresource];
  if (rules !== undefined) return setOf(...rules.ignoredFields);
  const isWhole = subresource === '' || subresource === 'finalize';
  return isWhole && kind.hasStatus ? setOf(['f:status']) : setOf();
}
