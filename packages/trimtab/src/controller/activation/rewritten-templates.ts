import type { ReferenceWay } from '../../core/references/reference-way.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';

interface Rewritten {
  uid: string;
  /** What the template named before. */
  written: string;
  isTold: boolean;
}

/**
 * Workloads that want admission, whose templates named versions and were written with the configs instead. A template that
 * names the same versions again is the choice of its owner, such as a GitOps tool with these names in its manifest: another
 * write would make both replace the pods for ever. Kept in memory: a restart costs one more write.
 */
export class RewrittenTemplates {
  readonly #rewritten = new Map<string, Rewritten>();

  /** The template of `workload` was written in the way that it wants. */
  rewritten(workload: Workload, way: ReferenceWay): void {
    // Without admission, the template has to name the versions whenever its owner writes it in another way.
    if (way === 'template') return;
    const { uid } = workload;
    this.#rewritten.set(keyOf(workload), { uid, written: writtenIn(workload), isTold: false });
  }

  /** Whether the owner has written the template as it was before. Forgets a workload that wants another way now. */
  cameBack(workload: Workload, way: ReferenceWay): boolean {
    const known = this.#rewritten.get(keyOf(workload));
    if (known === undefined) return false;
    if (way === 'template' || known.uid !== workload.uid) {
      this.#rewritten.delete(keyOf(workload));
      return false;
    }
    return known.written === writtenIn(workload);
  }

  /** The workload was deleted. */
  forget(workload: Workload): void {
    this.#rewritten.delete(keyOf(workload));
  }

  /** Whether `cameBack` is to be told. True once. */
  isNew(workload: Workload): boolean {
    const known = this.#rewritten.get(keyOf(workload));
    if (known === undefined || known.isTold) return false;
    known.isTold = true;
    return true;
  }
}

function keyOf({ namespace, kind, name }: Workload): string {
  return [namespace, kind, name].join('/');
}

function writtenIn({ references }: Workload): string {
  return JSON.stringify(references.map(({ pointer, name, written }) => [pointer, name, written]));
}
