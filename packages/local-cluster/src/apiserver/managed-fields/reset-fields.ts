import type { Kind } from '../kinds/kind.ts';
import { type FieldSet, setOf } from './field-set.ts';

const metadata = (...fields: string[]) => fields.map((field) => ['f:metadata', `f:${field}`]);

/** What a write of the status leaves alone beside the spec. */
const besideSpec: Readonly<Record<string, string[][]>> = {
  Deployment: metadata('labels'),
  Pod: metadata('deletionTimestamp', 'ownerReferences'),
  ValidatingAdmissionPolicy: [['f:metadata']],
};

/** Fields that a write at this place of the object does not change, so that nobody gets to own them by it. */
export function resetFields(kind: Kind, subresource: string): FieldSet {
  if (subresource === 'status') {
    const more = kind.custom === undefined ? (besideSpec[kind.kind] ?? []) : [['f:metadata']];
    return setOf(['f:spec'], ...more);
  }
  const isWhole = subresource === '' || subresource === 'finalize';
  return isWhole && kind.hasStatus ? setOf(['f:status']) : setOf();
}
