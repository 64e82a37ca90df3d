import { annotations } from '../../api/names.ts';
import type { ManagedReferences, TemplateReading } from '../../core/references/assignment.ts';
import { readConfigKey } from '../../core/references/config-key.ts';
import { hashedRenames } from '../../core/workload/kustomize-names.ts';
import type { AdmissionLookup, AdmittedWorkload } from './admission-lookup.ts';
import type { AdmissionRequest } from './admission-review.ts';

interface Admitted {
  workload: AdmittedWorkload;
  request: AdmissionRequest;
  /** References of the workload after the mutation. */
  references: ManagedReferences;
  before: TemplateReading | undefined;
  lookup: AdmissionLookup;
}

/** Returns the warnings that kubectl prints. Clients may truncate a warning after 256 characters. */
export function warningsFor(admitted: Admitted): string[] {
  return [...optInLost(admitted), ...hashedNames(admitted), ...rejectedContent(admitted)];
}

function optInLost({ workload, request, references }: Admitted): string[] {
  const was = request.oldObject?.metadata.annotations?.[annotations.manage];
  if (references.size === 0 || was === undefined || annotations.manage in workload.annotations) return [];
  return [
    `trimtab: ${shown(workload)} lost annotation ${annotations.manage} (rollout undo and replace drop annotations). ` +
      `It stays managed; to opt out, set the annotation to "false"`,
  ];
}

/** With hashed names, kustomize makes each change of a config a new config. */
function hashedNames({ references, before }: Admitted): string[] {
  const configs = (all: ManagedReferences | undefined) => [...(all?.keys() ?? [])].map(readConfigKey);
  return hashedRenames(configs(before?.references), configs(references)).map(
    ({ kind, from, to }) =>
      `trimtab: ${kind} ${to} replaces ${from}: a new config for Trimtab, neither judged nor rolled back. ` +
      `Set disableNameSuffixHash: true in kustomization.yaml, or leave the config unmanaged`,
  );
}

function rejectedContent({ workload, references, before, lookup }: Admitted): string[] {
  return [...references].flatMap(([key, object]) => {
    const { kind, name } = readConfigKey(key);
    const version = lookup.version(kind, object);
    if (version?.rejected === undefined || before?.references.get(key) === object) return [];
    return [
      `trimtab: version ${JSON.stringify(version.name)} of ${kind} ${name} was rolled back before: ${cut(version.rejected)}`,
      `trimtab: ${recoveryHint(workload, lookup.goodRevision(workload, [...references.keys()]))}`,
    ];
  });
}

function recoveryHint(workload: AdmittedWorkload, revision: number | undefined): string {
  const target = `${workload.kind.toLowerCase()}/${workload.name}`;
  if (revision !== undefined) return `to recover: kubectl rollout undo ${target} --to-revision=${revision}`;
  return `to recover: kubectl rollout undo ${target} --to-revision=N, with N from kubectl rollout history ${target}`;
}

function shown({ kind, name }: AdmittedWorkload): string {
  return `${kind} ${name}`;
}

function cut(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
