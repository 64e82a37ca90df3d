import type { ReferenceWay } from '../../core/references/reference-way.ts';
import { parseReferences } from '../../core/workload/opt-in.ts';
import { unblockedNamespaces } from '../manifests/installation.ts';

/** How this installation assigns versions to pods. */
export interface ReferenceWays {
  /** For workloads without the annotation `trimtab.dev/references`. */
  usual: ReferenceWay;
  /** Whether admission rewrites pods: by the webhook of this controller, or by policies. */
  rewritesPods: boolean;
}

interface AnnotatedWorkload {
  namespace: string;
  annotations: Record<string, string>;
}

/** Returns how the template of a workload assigns versions. */
export function referenceWayOf(ways: ReferenceWays, workload: AnnotatedWorkload): ReferenceWay {
  return wantedWay(ways, workload) === 'admission' && !lacksAdmission(ways, workload)
    ? 'admission'
    : 'template';
}

/** Whether a workload wants that admission writes versions into its pods, and nothing would do so. */
export function lacksAdmission(ways: ReferenceWays, workload: AnnotatedWorkload): boolean {
  if (wantedWay(ways, workload) === 'template') return false;
  return !ways.rewritesPods || unblockedNamespaces.includes(workload.namespace);
}

function wantedWay({ usual }: ReferenceWays, { annotations }: AnnotatedWorkload): ReferenceWay {
  const parsed = parseReferences(annotations);
  return ('value' in parsed ? parsed.value : undefined) ?? usual;
}
