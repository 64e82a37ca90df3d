import { createWriteStream, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { tar } from '@trimtab/test-bed/cluster/images/tar.ts';
import { archiveEntries, type PlatformImage } from './archive-entries.ts';
import { type Base, buildPlatformImage, imageStart, type Release } from './build-platform-image.ts';
import { type DebianLock, readDebianLock } from './debian-lock.ts';
import type { ImageDefinition } from './definitions.ts';
import { emptyDocument, imageIndex } from './documents.ts';
import { type FetchOptions, fetchDebianPackage } from './fetch-debian-package.ts';
import type { Platform } from './platform.ts';

export interface BuildOptions {
  platforms: readonly Platform[];
  release: Release;
  /** Folder of the archives. */
  out: string;
  /** Prefix of the names, such as `registry.example.com/platform`. */
  repository?: string;
  /** Whether the files of the images are written into folders as well. */
  rootfs?: boolean;
  mirrors?: readonly string[];
}

export interface BuiltImage {
  definition: ImageDefinition;
  /** Name with tag. */
  name: string;
  archive: string;
  /** Digest of the index of all platforms. */
  digest: string;
  images: readonly { platform: Platform; image: PlatformImage }[];
}

/** Builds an image for all platforms, and writes the archive and the bills of materials. */
export async function buildImage(definition: ImageDefinition, options: BuildOptions): Promise<BuiltImage> {
  const { platforms, release, out, repository } = options;
  const lock = readDebianLock();
  mkdirSync(out, { recursive: true });
  const images = await Promise.all(
    platforms.map(async (platform) => ({
      platform,
      image: await buildPlatformImage({
        definition,
        platform,
        release,
        base: await baseOf(platform, lock, options),
        ...(options.rootfs ? { rootfs: rootfsFolder(out, definition, platform) } : {}),
      }),
    })),
  );
  const index = imageIndex(
    [...images.map(({ image }) => image.manifest), ...images.map(({ image }) => image.attached)],
    imageStart(definition, release).labels,
  );
  const name = `${repository === undefined ? '' : `${repository}/`}${definition.name}:${release.version}`;
  const archive = path.join(out, `${definition.name}.tar`);
  const entries = archiveEntries({
    name,
    index,
    images: images.map(({ image }) => image),
    shared: [emptyDocument],
  });
  const draft = `${archive}.${process.pid}`;
  try {
    await pipeline(Readable.from(tar(entries)), createWriteStream(draft));
    renameSync(draft, archive);
  } finally {
    rmSync(draft, { force: true });
  }
  for (const { platform, image } of images)
    writeFileSync(
      path.join(out, `${definition.name}-${platform.architecture}.spdx.json`),
      image.sbom.content,
    );
  return { definition, name, archive, digest: index.descriptor.digest, images };
}

function rootfsFolder(out: string, { name }: ImageDefinition, { architecture }: Platform): string {
  return path.join(out, 'rootfs', name, architecture);
}

async function baseOf(platform: Platform, lock: DebianLock, { mirrors }: FetchOptions): Promise<Base> {
  const packages = lock.packages[platform.architecture] ?? [];
  const folders = new Map<string, string>();
  for (const each of packages)
    folders.set(each.name, await fetchDebianPackage(each, mirrors === undefined ? {} : { mirrors }));
  return { release: lock.release, packages, folders };
}
