import { parseManifest } from '../manifest/parse-manifest.ts';

/** A line of a file that is no valid manifest, such as a template. */
const kindLine = /^[ \t-]*["']?kind["']?[ \t]*:[ \t]*["']?Secret(List)?["']?[ \t]*(#.*)?\r?$/m;

/** Whether a file has a Secret as a manifest. Values of other files cannot be told from those of a config. */
export function holdsSecret(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes);
  const parsed = parseManifest(text);
  return 'problem' in parsed ? kindLine.test(text) : parsed.objects.some(isSecret);
}

function isSecret(object: unknown): boolean {
  if (typeof object !== 'object' || object === null) return false;
  const { kind, items } = object as { kind?: unknown; items?: unknown };
  return kind === 'Secret' || kind === 'SecretList' || (Array.isArray(items) && items.some(isSecret));
}
