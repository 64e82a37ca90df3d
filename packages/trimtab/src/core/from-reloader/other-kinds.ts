import { isReloaderAnnotation } from './annotations.ts';

/** Kinds that Reloader updates and Trimtab does not. */
export type OtherKind = 'Job' | 'CronJob' | 'Rollout';

/** Says that annotations of Reloader on such an object have no effect, and what to do; undefined when it has none. */
export function otherKindText(
  kind: OtherKind,
  { name, annotations }: { name: string; annotations: Readonly<Record<string, string>> },
): string | undefined {
  const keys = Object.keys(annotations).filter(isReloaderAnnotation).sort();
  if (keys.length === 0) return undefined;
  return `Annotation ${keys.join(', ')} of Reloader is ignored: ${remedies[kind](name)}`;
}

const remedies: Record<OtherKind, (name: string) => string> = {
  Job: () =>
    'Trimtab does not replace Jobs. Pods that the Job creates later read the edited config; to run it again, delete and create it',
  CronJob: (name) =>
    `Trimtab does not run CronJobs. The next Job reads the edited config; to run one at once: kubectl create job --from=cronjob/${name} JOB-NAME`,
  Rollout: (name) =>
    `Trimtab does not update Argo Rollouts. After an edit, run kubectl argo rollouts restart ${name}, or use a Deployment`,
};
