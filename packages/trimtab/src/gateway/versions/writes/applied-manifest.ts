import type { ConfigBody } from '../../../api/config-body.ts';
import { keepWrittenJsonVersion } from '../../request/written-version.ts';
import { type Fields, isFields } from './named-version.ts';

/** The annotation with what `kubectl apply` has sent last. */
export const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

interface Applied {
  patch: Fields;
  live: ConfigBody;
  version: string;
}

/**
 * The manifest of `kubectl apply`, which computes its patch from the live config. The patch leaves out what the live
 * config has already, and keys of versions that were never live, so only the manifest has the content of the version.
 * Undefined for a patch of another client: only kubectl apply writes the annotation with its manifest. The field manager
 * does not tell, because the user chooses it.
 */
export function appliedManifest({ patch, live, version }: Applied): Fields | undefined {
  const metadata = isFields(patch['metadata']) ? patch['metadata'] : {};
  const sent = isFields(metadata['annotations']) ? metadata['annotations'][lastApplied] : undefined;
  const manifest = parsed(sent ?? live.metadata.annotations?.[lastApplied]);
  if (manifest === undefined || !isFields(manifest['metadata'])) return undefined;
  const { version: named, ...rest } = manifest['metadata'];
  if (named !== version) return undefined;
  if (sent === undefined && !takesContentFrom(manifest, patch)) return undefined;
  return { ...manifest, metadata: rest };
}

/**
 * kubectl omits the annotation when the manifest has not changed. Its patch then only sets fields as the manifest has
 * them.
 */
function takesContentFrom(manifest: Fields, patch: Fields): boolean {
  return ['data', 'binaryData', 'stringData'].every((field) => {
    const [sent = {}, own = {}] = [patch[field], manifest[field]];
    if (!isFields(sent) || !isFields(own)) return false;
    return Object.entries(sent).every(([key, value]) => Object.hasOwn(own, key) && own[key] === value);
  });
}

function parsed(text: unknown): Fields | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    // A version without quotes is a number in the manifest, as it is in the patch.
    keepWrittenJsonVersion(text, value);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
