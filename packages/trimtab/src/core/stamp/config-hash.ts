import { createHash } from 'node:crypto';
import { parseManifest } from '../manifest/parse-manifest.ts';
import { contentHash } from '../version/content-hash.ts';

/** A ConfigMap or Secret as a user writes it. */
interface WrittenConfig {
  kind?: unknown;
  metadata?: { namespace?: string; name?: string };
  type?: string;
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
  stringData?: Record<string, string>;
  items?: unknown;
}

/**
 * SHA-256 of config files, in hexadecimal. Of manifests with ConfigMaps and Secrets, only the content of these counts:
 * comments, labels and other objects do not change the hash. Of every other file, all bytes count.
 */
export function configHash(files: readonly Uint8Array[]): string {
  const hashes = files.map((bytes) => manifestHash(bytes) ?? sha256(bytes));
  const [first = '', ...more] = hashes;
  return more.length === 0 ? first : sha256(hashes.join('\n'));
}

function manifestHash(bytes: Uint8Array): string | undefined {
  const parsed = parseManifest(new TextDecoder().decode(bytes));
  if ('problem' in parsed) return undefined;
  const configs = parsed.objects.flatMap(configsIn);
  if (configs.length === 0) return undefined;
  const lines = configs.map((config) =>
    JSON.stringify([
      config.kind,
      config.metadata?.namespace ?? '',
      config.metadata?.name ?? '',
      contentHash(asStored(config)),
    ]),
  );
  return sha256(lines.sort().join('\n'));
}

function configsIn(object: object): WrittenConfig[] {
  const config = object as WrittenConfig;
  if (Array.isArray(config.items)) return config.items.filter(isObject).flatMap(configsIn);
  return config.kind === 'ConfigMap' || config.kind === 'Secret' ? [config] : [];
}

/** The API server merges `stringData` of a Secret into `data`. */
function asStored({ type, data, binaryData, stringData }: WrittenConfig) {
  const encoded = Object.entries(stringData ?? {}).map(([key, value]): [string, string] => [
    key,
    Buffer.from(String(value)).toString('base64'),
  ]);
  return { type, data: { ...data, ...Object.fromEntries(encoded) }, binaryData };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}
