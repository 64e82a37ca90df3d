import { annotations } from '../../api/names.ts';
import type { ManagedReferences, TemplateReading } from '../../core/references/assignment.ts';
import { readConfigKey } from '../../core/references/config-key.ts';
import type { AdmissionLookup, AdmittedWorkload } from './admission-lookup.ts';
import type { AdmissionRequest } from './admission-review.ts';

interface Admitted {
  workload: AdmittedWorkload;
  request: AdmissionRequest;
  /** What it will run with. */
  references: ManagedReferences;
  before: TemplateReading | undefined;
  lookup: AdmissionLookup;
}

/** What kubectl prints for the person who is waiting for it. Clients may cut a warning after 256 characters. */
export function warningsFor(admitted: Admitted): string[] {
  return [...optInLost(admitted), ...rejectedContent(admitted)];
}

function optInLost({ workload, request, references }: Admitted): string[] {
  const was = request.oldObject?.metadata.annotations?.[annotations.manage];
  if (references.size === 0 || was === undefined || annotations.manage in workload.annotations) return [];
  return [
    `trimtab: annotation ${annotations.manage} is gone from ${shown(workload)} (undo and replace drop annotations). ` +
      `It stays managed; to end that, set it to "false".`,
  ];
}

function rejectedContent({ workload, request, references, before, lookup }: Admitted): string[] {
  return [...references].flatMap(([key, object]) => {
    const { kind, name } = readConfigKey(key);
    const version = lookup.version(kind, object);
    if (version?.rejected === undefined || before?.references.get(key) === object) return [];
    return [
      `trimtab: ${kind} ${name} ${JSON.stringify(version.name)} was rejected before: ${cut(version.rejected)}`,
      `trimtab: ${recoveryHint(workload, request)}`,
    ];
  });
}

/** A Deployment tells which revision it is at; the one before this request is the way back from it. */
function recoveryHint(workload: AdmittedWorkload, { oldObject }: AdmissionRequest): string {
  const target = `${workload.kind.toLowerCase()}/${workload.name}`;
  const revision = oldObject?.metadata.annotations?.['deployment.kubernetes.io/revision'];
  if (workload.kind === 'Deployment' && revision !== undefined)
    return `to get back: kubectl rollout undo ${target} --to-revision=${revision}`;
  return `to get back: kubectl rollout undo ${target} --to-revision=N, with N from kubectl rollout history ${target}`;
}

function shown({ kind, name }: AdmittedWorkload): string {
  return `${kind} ${name}`;
}

function cut(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
