import { StatusError } from '../errors/status-error.ts';
import type { Conflict } from './apply-config.ts';
import { identityOf, type ManagerIdentity } from './managers.ts';
import { stepText } from './path-step.ts';

/** Returns the 409 that names each field and its manager, with Kubernetes' messages. */
export function conflictStatus(conflicts: readonly Conflict[]): StatusError {
  const causes = conflicts.map((conflict) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${whoText(conflict.with)}`,
    field: pathText(conflict.path),
  }));
  return new StatusError(409, 'Conflict', messageOf(conflicts), { causes });
}

function messageOf(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1)
    return `Apply failed with 1 conflict: conflict with ${whoText(first.with)}: ${pathText(first.path)}`;
  const byManager = Map.groupBy(conflicts, (conflict) => identityOf(conflict.with));
  const parts = [...byManager.values()].flatMap((theirs) => [
    `conflicts with ${whoText((theirs[0] as Conflict).with)}:`,
    ...theirs.map(({ path }) => `- ${pathText(path)}`),
  ]);
  return `Apply failed with ${conflicts.length} conflicts: ${parts.join('\n')}`;
}

function pathText(path: readonly string[]): string {
  return path.map(stepText).join('');
}

function whoText({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  const place = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const how = operation === 'Update' ? ` using ${apiVersion}` : '';
  return `${JSON.stringify(manager)}${place}${how}`;
}
