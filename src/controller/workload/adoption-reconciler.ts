import { type Adoption, adopt } from '../../core/adoption.ts';
import type { ConfigKey } from '../../core/assignment.ts';
import { parseManage } from '../../core/opt-in.ts';
import type { ConfigKind } from '../../core/references.ts';
import { reloaderManagement } from '../../core/reloader-annotations.ts';
import type { Outcome } from '../../kube/queue/outcome.ts';
import type { ControllerContext } from '../context.ts';
import { versionHead } from '../picture/configs.ts';
import {
  headOf,
  isWorkloadKind,
  keyOfRollout,
  originalName,
  workloadAt,
  workloadsNaming,
} from '../picture/lookup.ts';
import { managedWorkloads } from '../picture/managed-workloads.ts';
import { distinct } from '../picture/pods.ts';
import type { Workload } from '../picture/workloads.ts';
import type { Reconciler } from '../reconciler.ts';
import { enlist, strikeOff } from './enlist.ts';
import { releaseWorkload } from './release-workload.ts';
import { workloadSubject } from './workload-subject.ts';

/**
 * Finds out which configs a workload wants managed, and sees to it that each has its rollout. Keys are
 * `namespace/Deployment/name`.
 */
export class AdoptionReconciler implements Reconciler {
  readonly name = 'adoption';
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  listen(enqueue: (key: string) => void): void {
    const { picture } = this.#context;
    const enqueueWorkload = ({ namespace, kind, name }: Workload) => enqueue(`${namespace}/${kind}/${name}`);
    for (const workloads of Object.values(picture.workloads)) {
      workloads.subscribe(({ before, after }) => {
        const workload = after ?? before;
        if (workload !== undefined && workload.references.length > 0) enqueueWorkload(workload);
      });
    }
    for (const heads of Object.values(picture.heads)) {
      heads?.subscribe(({ before, after }) => {
        const head = after ?? before;
        if (head === undefined || versionHead(head) !== undefined) return;
        for (const workload of workloadsNaming(picture, head.namespace, head.kind, head.name))
          enqueueWorkload(workload);
        for (const { kind, name } of head.ownerReferences)
          if (isWorkloadKind(kind)) enqueue(`${head.namespace}/${kind}/${name}`);
      });
    }
    picture.rollouts.subscribe(({ before, after }) => {
      const rollout = after ?? before;
      if (rollout === undefined) return;
      const { namespace = '' } = rollout.metadata;
      for (const key of managedWorkloads(rollout)) enqueue(`${namespace}/${key}`);
    });
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Outcome | undefined> {
    const { picture } = this.#context;
    const [namespace = '', ...rest] = key.split('/');
    const workloadKey = rest.join('/');
    const workload = workloadAt(picture, namespace, workloadKey);
    const before = this.#managedBefore(key);
    if (workload === undefined || workload.deleting) {
      // A workload that comes back under the same name is another one, and opts in by itself.
      for (const config of before) await strikeOff(this.#context, namespace, config, workloadKey, signal);
      return undefined;
    }
    const adoption = this.#decide(workload, before);
    for (const config of adoption.managed) await enlist(this.#context, workload, config, signal);
    if (adoption.ended.size > 0 && !(await releaseWorkload(this.#context, workload, signal)))
      return undefined;
    for (const config of adoption.ended)
      await strikeOff(this.#context, namespace, config, workloadKey, signal);
    return undefined;
  }

  #decide(workload: Workload, before: ReadonlySet<ConfigKey>): Adoption {
    const { picture, reloaderAnnotations, tell } = this.#context;
    const { namespace } = workload;
    const named = distinct(workload.references);
    const references = distinct(
      named.map(({ kind, name }) => ({ kind, name: originalName(picture, namespace, kind, name) })),
    );
    const manage = parseManage(workload.annotations);
    if ('problem' in manage) {
      tell(workloadSubject(workload), 'Warning', 'InvalidAnnotation', manage.problem);
    }
    const annotationsOf = (kind: ConfigKind, name: string) =>
      headOf(picture, namespace, kind, name)?.annotations;
    const management = 'problem' in manage ? ({ mode: 'unsaid' } as const) : manage.value;
    const fromReloader =
      reloaderAnnotations && management.mode === 'unsaid'
        ? [reloaderManagement(workload.annotations, references, annotationsOf)]
        : [];
    const ownedBy = (kind: ConfigKind, name: string) =>
      headOf(picture, namespace, kind, name)?.ownerReferences.some(({ uid }) => uid === workload.uid) ??
      false;
    return adopt({ managements: [management, ...fromReloader], references, ownedBy, before });
  }

  #managedBefore(key: string): Set<ConfigKey> {
    const { cache } = this.#context.picture.rollouts;
    const keys = [...cache.keysBy('workload', key)];
    return new Set(keys.flatMap((each) => cache.get(each) ?? []).map(keyOfRollout));
  }
}
