import { controllerIdentity } from '../../controller/installed-manifests.ts';
import { ControllerProcess } from '../../support/controller-process.ts';
import type { VersionsScene } from './versions-scene.ts';

/** Starts the controller for a scene's namespace, with the ServiceAccount of the manifests. */
export async function controllerOf({ engine, namespace }: VersionsScene): Promise<ControllerProcess> {
  return ControllerProcess.start(engine, namespace, {
    kubeconfig: await engine.kubeconfigOf(controllerIdentity),
    homeNamespace: controllerIdentity.namespace,
  });
}
