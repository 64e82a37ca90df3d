import type { CompressedLayer } from './compressed-layer.ts';
import { digest } from './digest.ts';
import type { Platform } from './platform.ts';

/** A descriptor of OCI: how one document refers to another or to a layer. */
export interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
  platform?: { architecture: string; os: string };
  annotations?: Record<string, string>;
}

/** A document with the descriptor that refers to it. */
export interface Document {
  content: Buffer;
  descriptor: Descriptor;
}

export const mediaTypes = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+zstd',
  empty: 'application/vnd.oci.empty.v1+json',
  spdx: 'application/spdx+json',
};

/** How containers of an image start. */
export interface Start {
  entrypoint: readonly string[];
  user: string;
  env: readonly string[];
  labels: Readonly<Record<string, string>>;
}

export interface ImageContents {
  start: Start;
  platform: Platform;
  layers: readonly CompressedLayer[];
  /** RFC 3339. */
  created: string;
}

/** The configuration and the manifest of an image for one platform. */
export function imageDocuments(image: ImageContents): { config: Document; manifest: Document } {
  const { start, platform, layers, created } = image;
  const os = { architecture: platform.architecture, os: 'linux' };
  const config = document(mediaTypes.config, {
    created,
    ...os,
    config: {
      User: start.user,
      ...(start.env.length > 0 ? { Env: start.env } : {}),
      Entrypoint: start.entrypoint,
      WorkingDir: '/',
      Labels: start.labels,
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ comment }) => ({ created, created_by: 'npm run image', comment })),
  });
  const manifest = document(
    mediaTypes.manifest,
    {
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config: config.descriptor,
      layers: layers.map(({ digest: of, size }) => ({ mediaType: mediaTypes.layer, digest: of, size })),
      annotations: start.labels,
    },
    { platform: os },
  );
  return { config, manifest };
}

/** The contents of a document that needs no configuration. */
export const emptyDocument = document(mediaTypes.empty, {});

/** A manifest that attaches a bill of materials to the manifest of an image. Registries list it as a referrer. */
export function attachedSbom(sbom: Document, subject: Descriptor, created: string): Document {
  const { mediaType, digest: of, size } = subject;
  return document(
    mediaTypes.manifest,
    {
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      artifactType: mediaTypes.spdx,
      config: emptyDocument.descriptor,
      layers: [sbom.descriptor],
      subject: { mediaType, digest: of, size },
      annotations: { 'org.opencontainers.image.created': created },
    },
    // No machine has this platform, so container runtimes never choose the manifest. The type of the artifact stands in the
    // manifest only: skopeo of Debian 12 drops it from the index, and the digest would change.
    { platform: { architecture: 'unknown', os: 'unknown' } },
  );
}

/** The index of all platforms of an image, and of what is attached to them. */
export function imageIndex(manifests: readonly Document[], annotations: Record<string, string>): Document {
  return document(mediaTypes.index, {
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests: manifests.map(({ descriptor }) => descriptor),
    annotations,
  });
}

export function document(mediaType: string, value: unknown, more: Partial<Descriptor> = {}): Document {
  const content = Buffer.from(JSON.stringify(value));
  return { content, descriptor: { mediaType, digest: digest(content), size: content.length, ...more } };
}
