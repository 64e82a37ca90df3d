import { fileURLToPath } from 'node:url';
import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import type { Catalogue, Image } from '@trimtab/local-cluster/kubelet/images/catalogue.ts';
import { parseImage } from '@trimtab/local-cluster/kubelet/images/parse-image.ts';

const demoApp = fileURLToPath(new URL('../app/demo-app.ts', import.meta.url));

/** Returns the image of the demo and the images of `--image`. Throws an OperationalError ConfigInvalid. */
export function imagesFrom(flags: readonly string[]): Catalogue {
  const own: [string, Image][] = [['trimtab/demo', { entrypoint: [process.execPath, demoApp], cmd: [] }]];
  const given = flags.map((text) => {
    const parsed = parseImage(text);
    if ('problem' in parsed) throw new OperationalError(errors.ConfigInvalid, `--image: ${parsed.problem}`);
    return parsed;
  });
  return new Map([...own, ...given]);
}
