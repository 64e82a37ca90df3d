import { fullImageName } from '@trimtab/test-bed/cluster/images/oci-image.ts';
import type { TarEntry } from '@trimtab/test-bed/cluster/images/tar.ts';
import type { CompressedLayer } from './compressed-layer.ts';
import type { Document } from './documents.ts';

/** An image for one platform, with the documents that describe it. */
export interface PlatformImage {
  config: Document;
  manifest: Document;
  layers: readonly CompressedLayer[];
  sbom: Document;
  attached: Document;
}

export interface Archive {
  /** Name with tag, as in manifests: `trimtab:0.1.0`. */
  name: string;
  index: Document;
  images: readonly PlatformImage[];
  /** Other documents to which manifests refer. */
  shared: readonly Document[];
}

/**
 * The files of an OCI image layout. It also has the manifest.json of `docker save`, which Docker's own image store reads. That
 * file can describe one platform only, and describes the first one.
 */
export function archiveEntries({ name, index, images, shared }: Archive): TarEntry[] {
  const documents = [
    index,
    ...shared,
    ...images.flatMap(({ config, manifest, sbom, attached }) => [config, manifest, sbom, attached]),
  ];
  const layers = new Map(images.flatMap((image) => image.layers).map((layer) => [layer.digest, layer]));
  const blobs = new Map<string, TarEntry>([
    ...documents.map(({ descriptor, content }): [string, TarEntry] => [
      descriptor.digest,
      { type: 'file', path: blobPath(descriptor.digest), mode: 0o644, content },
    ]),
    ...[...layers.values()].map(({ digest, file, size }): [string, TarEntry] => [
      digest,
      { type: 'file', path: blobPath(digest), mode: 0o644, file, size },
    ]),
  ]);
  return [
    json('oci-layout', { imageLayoutVersion: '1.0.0' }),
    json('index.json', {
      schemaVersion: 2,
      manifests: [
        {
          ...index.descriptor,
          annotations: {
            'io.containerd.image.name': fullImageName(name),
            'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
          },
        },
      ],
    }),
    json(
      'manifest.json',
      images.slice(0, 1).map((image) => ({
        Config: blobPath(image.config.descriptor.digest),
        RepoTags: [name],
        Layers: image.layers.map(({ digest }) => blobPath(digest)),
      })),
    ),
    { type: 'directory', path: 'blobs', mode: 0o755 },
    { type: 'directory', path: 'blobs/sha256', mode: 0o755 },
    ...[...blobs.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry),
  ];
}

function blobPath(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`;
}

function json(path: string, value: unknown): TarEntry {
  return { type: 'file', path, mode: 0o644, content: Buffer.from(JSON.stringify(value)) };
}
