import type { Reason } from '../../api/reasons/reasons.ts';
import { shortened } from '../messages/quoted.ts';
import type { ConfigKind } from '../references/references.ts';
import type { WorkloadKind } from '../workload/observed.ts';
import type { ConfigId } from '../workload/opt-in.ts';
import {
  entriesOf,
  isAboutDriverSecrets,
  isReloaderAnnotation,
  keysFor,
  readBoolean,
  reloaderKeys,
} from './annotations.ts';
import { parseNameList } from './name-list.ts';
import { type AnnotatedWorkload, annotationsFor, type ConfigLookup, namesOf } from './opt-ins.ts';
import { parsePausePeriod } from './pause-period.ts';

interface Problem {
  reason: Extract<Reason, 'InvalidAnnotation' | 'ReloaderAnnotationIgnored'>;
  message: string;
}

const kinds = ['ConfigMap', 'Secret'] as const;

/** Returns what is wrong with the annotations of Reloader on a workload, and what of them has no effect with Trimtab. */
export function reloaderProblems(
  workload: AnnotatedWorkload & { kind: WorkloadKind },
  references: readonly ConfigId[],
  config: ConfigLookup,
): Problem[] {
  const { annotations, templateAnnotations } = workload;
  const written = [annotations, templateAnnotations].some((each) =>
    Object.keys(each).some(isReloaderAnnotation),
  );
  if (!written) return [];
  const values = { ...templateAnnotations, ...annotations };
  return [
    ...Object.entries(values).flatMap(([key, text]) => problemOf(key, text.trim(), workload)),
    ...kinds.flatMap((kind) => [
      ...listProblems(kind, workload, references),
      ...exclusionProblems(kind, workload, references),
    ]),
    ...references.flatMap((each) => configProblems(each, config)),
  ];
}

/** Annotations that are read, with the values that Reloader accepts. Others have no effect. */
function problemOf(
  key: string,
  text: string,
  workload: AnnotatedWorkload & { kind: WorkloadKind },
): Problem[] {
  if (!isReloaderAnnotation(key)) return [];
  if (isAboutDriverSecrets(key)) return [ignored(key, text, driverSecrets)];
  if (key === reloaderKeys.rolloutStrategy) return strategyProblems(text);
  if (key === reloaderKeys.pausePeriod) return pauseProblems(text, workload);
  if (key === reloaderKeys.match || key === reloaderKeys.ignore)
    return [ignored(key, text, 'Reloader and Trimtab read it on ConfigMaps and Secrets only')];
  const auto = [reloaderKeys.auto, ...kinds.map((kind) => keysFor(kind).auto)];
  if (auto.includes(key)) return readBoolean(text) === undefined ? [notBoolean(key, text)] : [];
  if (key === reloaderKeys.search) return isTrueOrFalse(text) ? [] : [notBoolean(key, text)];
  const lists = kinds.flatMap((kind) => [keysFor(kind).reload, keysFor(kind).exclude]);
  return lists.includes(key) ? [] : [ignored(key, text, 'Trimtab has no counterpart')];
}

const driverSecrets =
  'Trimtab does not manage secrets of a CSI driver. Let the driver copy them to a Secret, and reference that Secret in the pod template';

function strategyProblems(text: string): Problem[] {
  const key = reloaderKeys.rolloutStrategy;
  // What Trimtab does.
  if (text === 'rollout') return [];
  if (text !== 'restart') return [invalid(key, text, '"rollout" or "restart"')];
  return [
    ignored(
      key,
      text,
      'Trimtab assigns versions by a rolling update. Set trimtab.dev/references: admission on the workload to keep the references in its pod template as they were written',
    ),
  ];
}

function pauseProblems(text: string, workload: AnnotatedWorkload & { kind: WorkloadKind }): Problem[] {
  const { pausePeriod } = reloaderKeys;
  if (workload.kind !== 'Deployment')
    return [
      ignored(
        pausePeriod,
        text,
        `it has no effect on a ${workload.kind}. Set spec.strategy.minIntervalSeconds of the ConfigRollout`,
      ),
    ];
  if (workload.annotations[pausePeriod] === undefined)
    return [ignored(pausePeriod, text, 'it has no effect on a pod template. Set it on the Deployment')];
  const parsed = parsePausePeriod(workload);
  return 'problem' in parsed ? [{ reason: 'InvalidAnnotation', message: parsed.problem }] : [];
}

/** A list may name what the template does not reference: Reloader restarts the workload for it, Trimtab does not. */
function listProblems(
  kind: ConfigKind,
  workload: AnnotatedWorkload,
  references: readonly ConfigId[],
): Problem[] {
  const { reload: key } = keysFor(kind);
  const text = annotationsFor(kind, workload)[key];
  const names = namesOf(kind, references);
  const list = parseNameList(text, names);
  if ('problem' in list) return [invalid(key, text ?? '', list.problem)];
  const wrong = list.value.filter(({ matches }) => matches === undefined);
  const unmatched = list.value.filter(({ matches }) => matches !== undefined && !names.some(matches));
  return [
    ...(wrong.length > 0 ? [invalid(key, text ?? '', 'names or regular expressions of names')] : []),
    ...(unmatched.length > 0
      ? [
          ignored(
            key,
            unmatched.map((entry) => entry.text).join(','),
            `the pod template references no such ${kind}. Reference it, so that an edit of it updates the workload`,
          ),
        ]
      : []),
  ];
}

/** An exclusion counts on the workload and on the pod template. */
function exclusionProblems(
  kind: ConfigKind,
  { annotations, templateAnnotations }: AnnotatedWorkload,
  references: readonly ConfigId[],
): Problem[] {
  const { exclude: key } = keysFor(kind);
  const names = new Set(namesOf(kind, references));
  const texts = new Set([annotations[key], templateAnnotations[key]]);
  return [...texts].flatMap((text): Problem[] => {
    const unmatched = entriesOf(text).filter((entry) => !names.has(entry));
    if (unmatched.length === 0) return [];
    const isName = (entry: string) => /^[a-z0-9.-]*$/.test(entry);
    const hint = unmatched.every(isName) ? '' : '. An exclusion has names only, no regular expressions';
    return [ignored(key, unmatched.join(','), `the pod template references no such ${kind}${hint}`)];
  });
}

function configProblems({ kind, name }: ConfigId, config: ConfigLookup): Problem[] {
  const { annotations = {} } = config(kind, name) ?? {};
  return [reloaderKeys.ignore, reloaderKeys.match].flatMap((key): Problem[] => {
    const text = annotations[key]?.trim();
    if (text === undefined || isTrueOrFalse(text)) return [];
    const effect = 'Annotations of Reloader do not opt in for this config';
    const { reason, message } = notBoolean(key, text);
    const end = key === reloaderKeys.ignore ? `. ${effect}` : '';
    return [{ reason, message: `${kind} ${name}: ${message}${end}` }];
  });
}

function isTrueOrFalse(text: string): boolean {
  return text === 'true' || text === 'false';
}

function notBoolean(key: string, text: string): Problem {
  return invalid(key, text, '"true" or "false"');
}

function invalid(key: string, text: string, allowed: string): Problem {
  const value = shortened(text);
  const message = `Annotation ${key} has the value "${value}", which is not valid: must be ${allowed}`;
  return { reason: 'InvalidAnnotation', message };
}

function ignored(key: string, text: string, why: string): Problem {
  const message = `Annotation ${key}: "${shortened(text)}" of Reloader is ignored: ${why}`;
  return { reason: 'ReloaderAnnotationIgnored', message };
}
