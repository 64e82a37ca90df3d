import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { text } from '@trimtab/test-bed/cluster/images/host-entries.ts';
import type { TarEntry } from '@trimtab/test-bed/cluster/images/tar.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { archiveEntries, type PlatformImage } from './archive-entries.ts';
import { type CompressedLayer, compressedLayer } from './compressed-layer.ts';
import { digest } from './digest.ts';
import { attachedSbom, emptyDocument, imageDocuments, imageIndex } from './documents.ts';
import { platforms } from './platform.ts';
import { sbomDocument } from './sbom.ts';

const created = '2026-01-01T00:00:00Z';
const start = {
  entrypoint: ['/app'],
  user: '65532:65532',
  env: [],
  labels: { 'org.opencontainers.image.title': 'app' },
};

let folder: string;
let layer: CompressedLayer;
let entries: TarEntry[];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'trimtab-archive-'));
  layer = await compressedLayer('app', [text('app', 'a program')], 3, folder);
  const images = platforms.map((platform): PlatformImage => {
    const { config, manifest } = imageDocuments({ start, platform, layers: [layer], created });
    const sbom = sbomDocument({
      image: 'app',
      version: '1',
      platform,
      manifest: manifest.descriptor.digest,
      created,
      npm: [{ name: '@a/b', version: '2', integrity: 'sha512-AAEC', license: 'MIT' }],
      debian: [],
      release: 'bookworm',
    });
    return {
      config,
      manifest,
      layers: [layer],
      sbom,
      attached: attachedSbom(sbom, manifest.descriptor, created),
    };
  });
  const index = imageIndex(
    [...images.map((each) => each.manifest), ...images.map((each) => each.attached)],
    {},
  );
  entries = archiveEntries({ name: 'registry.example/app:1', index, images, shared: [emptyDocument] });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function content(at: string): Buffer {
  const entry = entries.find((each) => each.path === at);
  if (entry?.type !== 'file') throw new Error(`the archive has no file ${at}`);
  return 'content' in entry ? entry.content : readFileSync(entry.file);
}

const parsed = (at: string) => JSON.parse(content(at).toString());
const blob = (of: string) => `blobs/${of.replace(':', '/')}`;

test('every blob is under its own digest, and every reference leads to one', () => {
  const blobs = entries.filter(({ type, path: at }) => type === 'file' && at.startsWith('blobs/'));
  for (const each of blobs) expect(blob(digest(content(each.path)))).toBe(each.path);
  const references = [content('index.json'), ...blobs.map((each) => content(each.path))]
    .filter((bytes) => bytes.toString('latin1', 0, 1) === '{')
    .flatMap((bytes) => [...bytes.toString().matchAll(/"digest":"(sha256:\w+)"/g)])
    .map((match) => blob(match[1] ?? ''));
  const paths = blobs.map((each) => each.path);
  expect([...new Set(references)].sort()).toEqual([...paths].sort());
  // The layer that both platforms have is in the archive once.
  expect(paths).toEqual([...new Set(paths)].sort());
});

test('the archive has one index with a manifest and a bill of materials per platform', () => {
  const { manifests } = parsed('index.json');
  expect(manifests).toHaveLength(1);
  expect(manifests[0].annotations).toEqual({
    'io.containerd.image.name': 'registry.example/app:1',
    'org.opencontainers.image.ref.name': '1',
  });
  const index = parsed(blob(manifests[0].digest));
  const [amd64, arm64, ...attached] = index.manifests;
  expect([amd64, arm64].map((each) => each.platform.architecture)).toEqual(['amd64', 'arm64']);
  for (const [position, each] of attached.entries()) {
    expect(each.platform).toEqual({ architecture: 'unknown', os: 'unknown' });
    const manifest = parsed(blob(each.digest));
    expect(manifest).toMatchObject({ artifactType: 'application/spdx+json', config: { size: 2 } });
    expect(manifest.subject.digest).toBe([amd64, arm64][position]?.digest);
  }
});

test('containers start the program as a user that is not root', () => {
  const [{ Config, Layers, RepoTags }] = parsed('manifest.json');
  expect(RepoTags).toEqual(['registry.example/app:1']);
  const config = parsed(Config);
  expect(config).toMatchObject({
    created,
    architecture: 'amd64',
    os: 'linux',
    config: { User: '65532:65532', Entrypoint: ['/app'], WorkingDir: '/', Labels: start.labels },
  });
  expect(config.rootfs.diff_ids).toEqual([digest(zstdDecompressSync(content(Layers[0])))]);
});

test('the bill of materials lists packages with their checksums and licences', () => {
  const sbom = entries.map(({ path: at }) => at).filter((at) => at.startsWith('blobs/sha256/'));
  const documents = sbom.map((at) => content(at).toString()).filter((each) => each.includes('spdxVersion'));
  expect(documents).toHaveLength(2);
  const { packages, relationships } = JSON.parse(documents[0] ?? '');
  expect(packages[1]).toMatchObject({
    SPDXID: 'SPDXRef-Package--a-b-2',
    licenseDeclared: 'MIT',
    checksums: [{ algorithm: 'SHA512', checksumValue: '000102' }],
    externalRefs: [{ referenceLocator: 'pkg:npm/%40a/b@2' }],
  });
  const known = ['SPDXRef-DOCUMENT', ...packages.map((each: { SPDXID: string }) => each.SPDXID)];
  for (const { spdxElementId, relatedSpdxElement } of relationships)
    expect(known).toEqual(expect.arrayContaining([spdxElementId, relatedSpdxElement]));
});

test('a layer that is compressed again has the same bytes', async () => {
  const again = await compressedLayer('app', [text('app', 'a program')], 3, path.join(folder, 'empty-cache'));
  expect(again.digest).toBe(layer.digest);
});
