import { controllerIdentity } from '../../controller/installed-manifests.ts';
import type { RunningController } from '../../support/running-controller.ts';
import { startController } from '../../support/start-controller.ts';
import type { VersionsScene } from './versions-scene.ts';

/** Starts the controller for a scene's namespace, with the ServiceAccount of the manifests. */
export async function controllerOf({ engine, namespace }: VersionsScene): Promise<RunningController> {
  return startController(engine, namespace, {
    kubeconfig: await engine.kubeconfigOf(controllerIdentity),
    homeNamespace: controllerIdentity.namespace,
  });
}
