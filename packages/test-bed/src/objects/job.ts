import type { KubeObject } from '@trimtab/kube/wire.ts';
import { build, type Mod } from './build.ts';
import { type PodTemplate, podTemplate, type Templated } from './pod-template.ts';

export interface Job extends KubeObject, Templated {
  spec: { backoffLimit?: number; template: JobTemplate };
}

export interface CronJob extends KubeObject {
  spec: { schedule: string; suspend?: boolean; jobTemplate: { spec: Job['spec'] } };
}

interface JobTemplate extends PodTemplate {
  spec: PodTemplate['spec'] & { restartPolicy?: 'Never' | 'OnFailure' };
}

/** A Job whose pods are labelled `app: NAME`. */
export function job(name: string, ...mods: Mod<Job>[]): Job {
  const template: JobTemplate = podTemplate(name);
  template.spec.restartPolicy = 'Never';
  return build({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { template } }, mods);
}

/** A suspended CronJob that creates this Job. `kubectl create job --from` runs it. */
export function cronJob(name: string, { spec }: Job): CronJob {
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name },
    spec: { schedule: '0 0 1 1 *', suspend: true, jobTemplate: { spec } },
  };
}
