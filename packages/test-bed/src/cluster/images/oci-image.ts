import { createHash } from 'node:crypto';
import type { Layer } from './layer.ts';
import { type TarEntry, tar } from './tar.ts';

export interface ImageDescription {
  /** Full names with registry and tag, as in containerd: `docker.io/bed/busybox:1`. */
  names: readonly string[];
  layers: readonly Layer[];
  command?: readonly string[];
  entrypoint?: readonly string[];
  user?: string;
  workingDirectory?: string;
}

const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const architectures: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };
const thisArchitecture = architectures[process.arch] ?? process.arch;

/** The image as an OCI layout in a tar archive, for `ctr images import`. */
export function ociArchive(image: ImageDescription): AsyncGenerator<Buffer> {
  return tar(ociEntries(image, thisArchitecture));
}

/** The digest that `ctr images ls` prints for the image. */
export function imageDigest(image: ImageDescription): string {
  return digest(documents(image, { architecture: thisArchitecture, os: 'linux' }).manifest);
}

export function ociEntries(image: ImageDescription, architecture: string): TarEntry[] {
  const platform = { architecture, os: 'linux' };
  const { config, manifest } = documents(image, platform);
  const index = json({
    schemaVersion: 2,
    manifests: image.names.map((name) => ({
      mediaType: manifestType,
      digest: digest(manifest),
      size: manifest.length,
      platform,
      annotations: {
        'io.containerd.image.name': name,
        'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
      },
    })),
  });
  return [
    text('oci-layout', Buffer.from('{"imageLayoutVersion":"1.0.0"}')),
    text('index.json', index),
    text(blob(digest(config)), config),
    text(blob(digest(manifest)), manifest),
    ...distinct(image.layers).map(
      ({ file, digest, size }): TarEntry => ({ type: 'file', path: blob(digest), mode: 0o644, file, size }),
    ),
  ];
}

function documents(image: ImageDescription, platform: object): { config: Buffer; manifest: Buffer } {
  const config = json({
    ...platform,
    config: {
      Env: ['PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin'],
      ...(image.entrypoint ? { Entrypoint: image.entrypoint } : {}),
      ...(image.command ? { Cmd: image.command } : {}),
      ...(image.user === undefined ? {} : { User: image.user }),
      ...(image.workingDirectory === undefined ? {} : { WorkingDir: image.workingDirectory }),
    },
    rootfs: { type: 'layers', diff_ids: image.layers.map((layer) => layer.digest) },
  });
  const manifest = json({
    schemaVersion: 2,
    mediaType: manifestType,
    config: {
      mediaType: 'application/vnd.oci.image.config.v1+json',
      digest: digest(config),
      size: config.length,
    },
    layers: image.layers.map(({ digest, size }) => ({
      mediaType: 'application/vnd.oci.image.layer.v1.tar',
      digest,
      size,
    })),
  });
  return { config, manifest };
}

/** Expands `app:1` to `docker.io/library/app:1`, which the kubelet requests for `app:1`. */
export function fullImageName(name: string): string {
  const tagged = name.slice(name.lastIndexOf('/') + 1).includes(':') ? name : `${name}:latest`;
  const [first = '', ...rest] = tagged.split('/');
  if (rest.length === 0) return `docker.io/library/${tagged}`;
  return /[.:]|^localhost$/.test(first) ? tagged : `docker.io/${tagged}`;
}

function distinct(layers: readonly Layer[]): Layer[] {
  return [...new Map(layers.map((layer) => [layer.digest, layer])).values()];
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function text(path: string, content: Buffer): TarEntry {
  return { type: 'file', path, mode: 0o644, content };
}

function digest(content: Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

function blob(digestOfIt: string): string {
  return `blobs/${digestOfIt.replace(':', '/')}`;
}
