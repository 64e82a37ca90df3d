import { labels } from '../../api/names.ts';
import {
  assignmentHash,
  type ManagedReferences,
  type TemplateReading,
} from '../../core/references/assignment.ts';
import { readConfigKey } from '../../core/references/config-key.ts';
import type { AdmissionLookup } from './admission-lookup.ts';
import type { WorkloadObject } from './admission-review.ts';

/** Returns the versions that Trimtab assigned and no user has changed since, also during an activation. */
export function assignedBefore(
  oldObject: WorkloadObject | undefined,
  before: TemplateReading | undefined,
  lookup: AdmissionLookup,
): ManagedReferences {
  const label = oldObject?.metadata.labels?.[labels.assigned];
  if (before === undefined || before.mixed) return new Map();
  // A config that got its first version since then is still named itself; that does not change what was assigned.
  const versions = new Map([...before.references].filter(([key]) => !before.originals.has(key)));
  if (assignmentHash(versions) !== label) return new Map();
  return withoutRejected(versions, lookup);
}

/** A manifest applied again between the rejection of a version and its rollback must not keep the rejected version. */
export function withoutRejected(versions: ManagedReferences, lookup: AdmissionLookup): ManagedReferences {
  const good = [...versions].filter(([key, object]) => {
    const { kind } = readConfigKey(key);
    return lookup.version(kind, object)?.rejected === undefined;
  });
  return new Map(good);
}
