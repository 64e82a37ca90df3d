import type { ConfigKind } from '../../core/references/references.ts';
import { isRefusedType } from '../../core/version/version-plan.ts';
import { invalid } from '../refusal.ts';

/** Throws a 422 for a Secret that never has versions. A request without a type gets the type of the live Secret. */
export function refuseType(about: { kind: ConfigKind; name: string }, type: string | undefined): void {
  if (about.kind === 'ConfigMap' || !isRefusedType(type)) return;
  const problem = `Invalid value: ${JSON.stringify(type)}: Secrets of this type cannot have versions`;
  throw invalid({ kind: about.kind, name: about.name }, [{ field: 'type', problem }]);
}
