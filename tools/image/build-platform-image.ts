import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import type { TarEntry } from '@trimtab/test-bed/cluster/images/tar.ts';
import { compile } from '../compile-program.ts';
import type { PlatformImage } from './archive-entries.ts';
import { baseFiles, certificateFiles, type PackageFolders, user } from './base-files.ts';
import { bundledPackages } from './bundled-packages.ts';
import { compressedLayer } from './compressed-layer.ts';
import type { DebianPackage } from './debian-lock.ts';
import type { ImageDefinition } from './definitions.ts';
import { attachedSbom, imageDocuments, type Start } from './documents.ts';
import { readElfLinks } from './elf.ts';
import { fetchBun } from './fetch-bun.ts';
import { layerEntries } from './layer-entries.ts';
import { type LockedPackage, lockedPackage, root } from './package-lock.ts';
import type { Platform } from './platform.ts';
import { sbomDocument } from './sbom.ts';
import { writeRootfs } from './write-rootfs.ts';

/** What all images of one run have in common. */
export interface Release {
  version: string;
  /** Commit of the sources. */
  revision: string;
  /** RFC 3339. */
  created: string;
}

/** The Debian packages of a platform, downloaded. */
export interface Base {
  release: string;
  packages: readonly DebianPackage[];
  folders: PackageFolders;
}

interface Parts {
  definition: ImageDefinition;
  platform: Platform;
  base: Base;
  release: Release;
  /** Folder for the files of the image, for the Dockerfile. */
  rootfs?: string;
}

/** The level of zstd for the small layers. */
const baseLevel = 19;

/** Builds an image for one platform. */
export async function buildPlatformImage(parts: Parts): Promise<PlatformImage> {
  const { definition, platform, base, release, rootfs } = parts;
  // The depth of this folder below the repository is part of the binary.
  mkdirSync(path.join(root, 'dist'), { recursive: true });
  const work = mkdtempSync(path.join(root, 'dist', '.image-'));
  try {
    const { binary, packages } = await compiled(definition, platform, work);
    const contents = layersOf(definition, platform, base, binary);
    if (rootfs !== undefined) writeRootfs(rootfs, layerEntries(contents.flatMap(({ entries }) => entries)));
    const layers = await Promise.all(
      contents.map(({ comment, entries, level }) => compressedLayer(comment, layerEntries(entries), level)),
    );
    const start = imageStart(definition, release);
    const { created } = release;
    const { config, manifest } = imageDocuments({ start, platform, layers, created });
    const sbom = sbomDocument({
      image: definition.name,
      version: release.version,
      platform,
      manifest: manifest.descriptor.digest,
      created,
      npm: packages,
      debian: base.packages.filter(({ name }) => definition.certificates || name !== 'ca-certificates'),
      release: base.release,
    });
    return { config, manifest, layers, sbom, attached: attachedSbom(sbom, manifest.descriptor, created) };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** How containers of an image start, and what the image says of itself. */
export function imageStart(definition: ImageDefinition, release: Release): Start {
  return {
    entrypoint: [`/${definition.name}`],
    user: `${user.id}:${user.id}`,
    env: definition.env,
    // In alphabetical order, in which other tools write them when they copy the index: so its digest stays the same.
    labels: {
      'org.opencontainers.image.created': release.created,
      'org.opencontainers.image.description': definition.description,
      'org.opencontainers.image.revision': release.revision,
      'org.opencontainers.image.title': definition.name,
      'org.opencontainers.image.version': release.version,
    },
  };
}

async function compiled(
  definition: ImageDefinition,
  platform: Platform,
  work: string,
): Promise<{ binary: string; packages: LockedPackage[] }> {
  const binary = path.join(work, definition.name);
  const metafile = path.join(work, 'sources.json');
  const target = { name: platform.bunTarget, bun: fetchBun(platform) };
  compile({ program: await definition.program(), binary, cwd: work, target, metafile });
  const { machine } = readElfLinks(binary);
  if (machine !== platform.elfMachine)
    throw new Error(`Bun compiled ${definition.name} for another architecture than ${platform.architecture}`);
  const bun = lockedPackage(`node_modules/${platform.bunPackage}`);
  return { binary, packages: [bun, ...bundledPackages(metafile, work)] };
}

interface LayerContents {
  comment: string;
  entries: TarEntry[];
  level: number;
}

/** The base first: both images have it, so nodes store it once. */
function layersOf(
  { name, certificates, level }: ImageDefinition,
  platform: Platform,
  { folders }: Base,
  binary: string,
): LayerContents[] {
  const program: TarEntry = {
    type: 'file',
    path: name,
    mode: 0o755,
    file: binary,
    size: statSync(binary).size,
  };
  return [
    {
      comment: 'C library and accounts',
      entries: baseFiles(binary, folders, platform),
      level: baseLevel,
    },
    ...(certificates
      ? [
          {
            comment: 'certificates of public authorities',
            entries: certificateFiles(folders),
            level: baseLevel,
          },
        ]
      : []),
    { comment: name, entries: [program], level },
  ];
}
