import type { Attributes } from '../admission/admission.ts';
import { decodeManagers, ManagersProblem } from '../managed-fields/managers.ts';
import type { VerbRequest } from './verb-request.ts';

/** Runs mutating admission. Invalid changes of managedFields are reverted with a warning. */
export async function admitChanges(
  { services, warnings }: VerbRequest,
  attributes: Attributes,
): Promise<void> {
  const before = attributes.object?.metadata.managedFields;
  await services.admission.mutate(attributes);
  const metadata = attributes.object?.metadata;
  if (metadata === undefined || metadata.managedFields === before) return;
  try {
    decodeManagers(metadata.managedFields);
  } catch (error) {
    if (!(error instanceof ManagersProblem)) throw error;
    if (before === undefined) delete metadata.managedFields;
    else metadata.managedFields = before;
    warnings.push(
      `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${error.message}`,
    );
  }
}
