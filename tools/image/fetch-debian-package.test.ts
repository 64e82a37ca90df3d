import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pinnedPackages, readDebianLock } from './debian-lock.ts';
import { fetchDebianPackage } from './fetch-debian-package.ts';
import { platforms } from './platform.ts';

const wanted = {
  name: 'libc6',
  version: '2.36-9',
  architecture: 'arm64',
  filename: 'pool/libc6.deb',
  sha256: '0'.repeat(64),
};

let server: Server;
let cache: string;

beforeAll(async () => {
  cache = mkdtempSync(path.join(tmpdir(), 'trimtab-debian-'));
  server = createServer(({ url }, response) => {
    response.statusCode = url === '/other/pool/libc6.deb' ? 200 : 404;
    response.end('another package');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
afterAll(() => {
  server.close();
  rmSync(cache, { recursive: true, force: true });
});

test('a package that the mirrors dropped or changed is reported with the command that pins another one', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const mirrors = [url, `${url}/other/`];
  await expect(fetchDebianPackage(wanted, { mirrors, cache })).rejects.toThrow(
    [
      'cannot download Debian package libc6 2.36-9 (arm64):',
      `  ${url}/pool/libc6.deb: 404 Not Found`,
      `  ${url}/other/pool/libc6.deb: the checksum differs from debian-lock.json`,
      'Mirrors drop old versions. `npm run image -- --update-packages` pins the current ones; commit debian-lock.json then.',
    ].join('\n'),
  );
});

test('a machine without apt sources needs a mirror', async () => {
  await expect(fetchDebianPackage(wanted, { mirrors: [], cache })).rejects.toThrow(
    'cannot download Debian package libc6 2.36-9 (arm64): this machine has no apt sources. Pass --debian-mirror URL.',
  );
});

test('all packages are pinned for all platforms, in the same versions', () => {
  const { packages } = readDebianLock();
  const versions = platforms.map(({ architecture }) =>
    packages[architecture]?.map(({ name, version }) => `${name} ${version}`),
  );
  expect(new Set(versions.map((each) => each?.join()))).toHaveLength(1);
  expect(packages['amd64']?.map(({ name }) => name)).toEqual(pinnedPackages);
});
