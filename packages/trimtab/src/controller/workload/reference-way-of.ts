import type { ReferenceWay } from '../../core/references/reference-way.ts';
import { parseReferences } from '../../core/workload/opt-in.ts';
import type { PodAdmission } from '../pod-admission/pod-admission.ts';

/** How this installation assigns versions to pods. */
export interface ReferenceWays {
  /** For workloads without the annotation `trimtab.dev/references`. */
  usual: ReferenceWay;
  /**
   * Whether admission writes versions into pods, by the webhook of this controller or by policies; undefined when the
   * controller runs with neither of them.
   */
  podAdmission: Pick<PodAdmission, 'problem' | 'isCertain'> | undefined;
  /** Namespaces whose pods admission never rewrites. */
  unblocked: readonly string[];
}

interface AnnotatedWorkload {
  namespace: string;
  annotations: Record<string, string>;
}

/**
 * Whether it is certain how the template of a workload is to assign versions. Until then, the workload is left as it is:
 * a change to the other way is a rolling update.
 */
export function isWayCertain(ways: ReferenceWays, workload: AnnotatedWorkload): boolean {
  const { namespace } = workload;
  if (wantedWay(ways, workload) === 'template' || ways.unblocked.includes(namespace)) return true;
  return ways.podAdmission?.isCertain(namespace) ?? true;
}

/** Returns how the template of a workload assigns versions. */
export function referenceWayOf(ways: ReferenceWays, workload: AnnotatedWorkload): ReferenceWay {
  return wantedWay(ways, workload) === 'admission' && whyNoAdmission(ways, workload) === undefined
    ? 'admission'
    : 'template';
}

/**
 * Returns why admission does not write versions into the pods of a workload that wants it; undefined when it does, or when
 * the workload does not want it.
 */
export function whyNoAdmission(ways: ReferenceWays, workload: AnnotatedWorkload): string | undefined {
  if (wantedWay(ways, workload) === 'template') return undefined;
  const { namespace } = workload;
  if (ways.unblocked.includes(namespace)) return `pods in namespace ${namespace} are never rewritten`;
  if (ways.podAdmission === undefined) return 'the controller runs without --webhook and --mutating-policies';
  const problem = ways.podAdmission.problem(namespace);
  return problem && `${problem} (apply the output of \`trimtab manifests\`)`;
}

function wantedWay({ usual }: ReferenceWays, { annotations }: AnnotatedWorkload): ReferenceWay {
  const parsed = parseReferences(annotations);
  return ('value' in parsed ? parsed.value : undefined) ?? usual;
}
