import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import type { Mod } from '@trimtab/test-bed/objects/build.ts';
import type { Templated } from '@trimtab/test-bed/objects/pod-template.ts';
import { nodeApp } from '../../agent/support/apps.ts';

/** Runs an application that serves a file at port 8080 of its pod, and reads it again at SIGUSR1. */
export function servingFile(engine: Engine, file: string, more: object = {}): Mod<Templated> {
  return ({ spec }) => {
    const [container] = spec.template.spec.containers;
    Object.assign(container as object, {
      image: engine.images.node,
      command: ['node', '-e', nodeApp(file), '$(SERVE_ON)', '8080'],
      env: [{ name: 'SERVE_ON', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
      readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
      ...more,
    });
    spec.template.spec.terminationGracePeriodSeconds = 0;
  };
}
