import type { Mod } from './build.ts';
import type { Templated } from './pod-template.ts';

/**
 * Runs a shell script in a real pod. The container is Ready once the script has created /tmp/ready, and is killed
 * without a grace period. Without a probe, Kubernetes would count a pod as available that is about to exit.
 */
export function runningScript(image: string, script: string): Mod<Templated> {
  return ({ spec }) => {
    spec.template.spec.terminationGracePeriodSeconds = 0;
    for (const container of spec.template.spec.containers) {
      container.image = image;
      container.command = ['sh', '-c', script];
      // On a busy machine, running a command in a container can take seconds.
      container.readinessProbe = {
        exec: { command: ['test', '-e', '/tmp/ready'] },
        periodSeconds: 1,
        timeoutSeconds: 10,
      };
    }
  };
}
