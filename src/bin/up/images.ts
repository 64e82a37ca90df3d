import { fileURLToPath } from 'node:url';
import { TrimtabError } from '../../api/errors.ts';
import type { Catalogue, Image } from '../../local/kubelet/images/catalogue.ts';
import { parseImage } from '../../local/kubelet/images/parse-image.ts';

const demoApp = fileURLToPath(new URL('../../local/demo/demo-app.ts', import.meta.url));

/** The images of Trimtab itself, and those that `--image` names. Throws a TrimtabError ConfigInvalid. */
export function imagesFrom(flags: readonly string[]): Catalogue {
  const own: [string, Image][] = [['trimtab/demo', { entrypoint: [process.execPath, demoApp], cmd: [] }]];
  const given = flags.map((text) => {
    const parsed = parseImage(text);
    if ('problem' in parsed) throw new TrimtabError('ConfigInvalid', `--image: ${parsed.problem}`);
    return parsed;
  });
  return new Map([...own, ...given]);
}
