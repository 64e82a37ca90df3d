import { fileURLToPath } from 'node:url';
import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import type { Catalogue, Image } from '@trimtab/local-cluster/kubelet/images/catalogue.ts';
import { parseImage } from '@trimtab/local-cluster/kubelet/images/parse-image.ts';
import type { DeclaredPrograms } from '@trimtab/local-cluster/kubelet/mounts/program-mounts.ts';

const demoApp = fileURLToPath(new URL('../app/demo-app.ts', import.meta.url));
const agent = [process.execPath, fileURLToPath(import.meta.resolve('trimtab/bin/trimtab-agent.ts'))];

/** The agent at the paths that its images have. */
export const declaredPrograms: DeclaredPrograms = new Map(
  ['/trimtab-agent', '/srv/config-controller'].map((path) => [path, agent]),
);

/** Returns the images of the demo and the agent, and those of `--image`. Throws an OperationalError ConfigInvalid. */
export function imagesFrom(flags: readonly string[]): Catalogue {
  const own: [string, Image][] = [
    ['trimtab/demo', { entrypoint: [process.execPath, demoApp], cmd: [] }],
    ['trimtab-agent', { entrypoint: agent, cmd: [] }],
    ['atombender/k8s-config-controller', { entrypoint: agent, cmd: [] }],
  ];
  const given = flags.map((text) => {
    const parsed = parseImage(text);
    if ('problem' in parsed) throw new OperationalError(errors.ConfigInvalid, `--image: ${parsed.problem}`);
    return parsed;
  });
  return new Map([...own, ...given]);
}
