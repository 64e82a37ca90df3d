import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { fullImageName, ociEntries } from './oci-image.ts';

test.each([
  ['app:1', 'docker.io/library/app:1'],
  ['app', 'docker.io/library/app:latest'],
  ['bed/busybox:1', 'docker.io/bed/busybox:1'],
  ['registry.example/app:1', 'registry.example/app:1'],
  ['localhost/app:1', 'localhost/app:1'],
  ['host:5000/app', 'host:5000/app:latest'],
])('%s is stored as %s', (name, full) => {
  expect(fullImageName(name)).toBe(full);
});

test('every blob that is named is there under its own digest', () => {
  const layer = { file: '/layer.tar', digest: `sha256:${'a'.repeat(64)}`, size: 3 };
  const entries = ociEntries(
    { names: ['docker.io/bed/app:1', 'docker.io/bed/other:2'], layers: [layer, layer], command: ['run'] },
    'amd64',
  );
  const content = (path: string) => {
    const entry = entries.find((each) => each.path === path);
    return entry && 'content' in entry ? entry.content : undefined;
  };
  const parsed = (path: string) => JSON.parse(content(path)?.toString() ?? 'null');
  const blob = (digest: string) => `blobs/${digest.replace(':', '/')}`;
  const [manifestReference, other] = parsed('index.json').manifests;
  expect(manifestReference.annotations['io.containerd.image.name']).toBe('docker.io/bed/app:1');
  expect(other.annotations['io.containerd.image.name']).toBe('docker.io/bed/other:2');
  expect(other.digest).toBe(manifestReference.digest);
  const manifest = parsed(blob(manifestReference.digest));
  expect(parsed(blob(manifest.config.digest)).rootfs.diff_ids).toEqual([layer.digest, layer.digest]);
  for (const { digest, size } of [manifestReference, manifest.config]) {
    const bytes = content(blob(digest)) ?? Buffer.alloc(0);
    expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(digest);
    expect(bytes).toHaveLength(size);
  }
  // A layer that is used twice is contained only once.
  expect(entries.filter((each) => each.path === blob(layer.digest))).toHaveLength(1);
});
