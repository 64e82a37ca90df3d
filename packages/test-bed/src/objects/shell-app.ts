import type { Mod } from './build.ts';
import type { Templated } from './pod-template.ts';

/**
 * A real application in a real pod: a shell script that is Ready once it has made the file /tmp/ready, and ends at
 * once when it is told to. Without a probe Kubernetes takes a pod for available that is about to end.
 */
export function runningScript(image: string, script: string): Mod<Templated> {
  return ({ spec }) => {
    spec.template.spec.terminationGracePeriodSeconds = 0;
    for (const container of spec.template.spec.containers) {
      container.image = image;
      container.command = ['sh', '-c', script];
      // To run a command in a container may take seconds where many do it.
      container.readinessProbe = {
        exec: { command: ['test', '-e', '/tmp/ready'] },
        periodSeconds: 1,
        timeoutSeconds: 10,
      };
    }
  };
}
