import type { ConfigBody } from '../../../api/config-body.ts';
import { type Fields, isFields } from './named-version.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

interface Applied {
  patch: Fields;
  live: ConfigBody;
  version: string;
  fieldManager: string | undefined;
}

/**
 * The manifest of `kubectl apply`, which computes its patch from the live config. The patch leaves out what the live
 * config has already, and keys of versions that were never live, so only the manifest has the content of the version.
 * Undefined for a patch of another client.
 */
export function appliedManifest({ patch, live, version, fieldManager }: Applied): Fields | undefined {
  if (fieldManager !== 'kubectl-client-side-apply') return undefined;
  const metadata = isFields(patch['metadata']) ? patch['metadata'] : {};
  const sent = isFields(metadata['annotations']) ? metadata['annotations'][lastApplied] : undefined;
  // kubectl omits the annotation when it has not changed.
  const manifest = parsed(sent ?? live.metadata.annotations?.[lastApplied]);
  if (manifest === undefined || !isFields(manifest['metadata'])) return undefined;
  const { version: named, ...rest } = manifest['metadata'];
  // A version without quotes is a number in the manifest.
  return typeof named !== 'object' && String(named) === version ? { ...manifest, metadata: rest } : undefined;
}

function parsed(text: unknown): Fields | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
