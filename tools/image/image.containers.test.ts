import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadImageArchive } from '@trimtab/test-bed/cluster/images/load-image-archive.ts';
import { findProgram } from '@trimtab/test-bed/cluster/prerequisites.ts';
import { bedFolder } from '@trimtab/test-bed/cluster/state/bed-folder.ts';
import {
  bedUnderTest,
  eventually,
  type Kubectl,
  kubectlInFreshNamespace,
} from '@trimtab/test-bed/cluster/testing/kubectl.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BuiltImage, buildImage } from './build-image.ts';
import { imageDefinitions } from './definitions.ts';
import { digest } from './digest.ts';
import { root } from './package-lock.ts';
import { platforms } from './platform.ts';
import { releaseOf } from './release.ts';

const version = 'under-test';
/** What Pod Security `restricted` asks for, and a file system that cannot be written. */
const securityContext = {
  runAsNonRoot: true,
  readOnlyRootFilesystem: true,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

let folder: string;
let images: BuiltImage[];
let kubectl: Kubectl;
let namespace: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'trimtab-image-'));
  images = await build('first');
  const bed = bedUnderTest();
  for (const { archive } of images) await loadImageArchive(bedFolder(bed.name), bed, archive);
  ({ kubectl, namespace } = await kubectlInFreshNamespace(bed));
  await kubectl('label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted');
}, 600_000);

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await kubectl?.('delete', 'namespace', namespace, '--wait=false');
  await kubectl?.('delete', 'clusterrolebinding', namespace, '--ignore-not-found');
});

async function build(name: string): Promise<BuiltImage[]> {
  const release = await releaseOf(version);
  const built: BuiltImage[] = [];
  for (const definition of imageDefinitions)
    built.push(await buildImage(definition, { release, platforms, out: path.join(folder, name) }));
  return built;
}

async function start(name: string, container: object): Promise<void> {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 5,
      containers: [{ name, imagePullPolicy: 'Never', securityContext, ...container }],
    },
  };
  await kubectl('create', '--raw', `/api/v1/namespaces/${namespace}/pods`, '-f', write(name, pod));
}

function write(name: string, object: object): string {
  const file = path.join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(object));
  return file;
}

test('a second build results in the same bytes', async () => {
  const again = await build('second');
  for (const [index, { archive }] of images.entries())
    expect(digest(readFileSync(again[index]?.archive ?? ''))).toBe(digest(readFileSync(archive)));
}, 600_000);

test.each([
  ['trimtab', ['version', '--client'], /^Client Version: v/],
  ['trimtab', ['controller', '--help'], /^Usage: trimtab controller /],
  ['trimtab', ['gateway', '--help'], /^Usage: trimtab gateway /],
  ['trimtab-agent', ['--configmap=a', '--print-role'], /^kind: Role$/m],
])('a restricted pod runs %s %j', async (image, args, expected) => {
  const name = `${image}-${args[0]?.replace(/\W/g, '')}-${args.length}`;
  await start(name, { image: `${image}:${version}`, args });
  await eventually(`the end of pod ${name}`, async () => {
    const phase = await kubectl('get', 'pod', name, '-o', 'jsonpath={.status.phase}');
    return phase === 'Succeeded';
  });
  expect(await kubectl('logs', name)).toMatch(expected);
});

test('the controller gets ready in a restricted pod', async () => {
  await kubectl('apply', '--server-side', '-f', path.join(root, 'deploy/crd.yaml'));
  const account = `--serviceaccount=${namespace}:default`;
  await kubectl('create', 'clusterrolebinding', namespace, '--clusterrole=cluster-admin', account);
  await start('controller', {
    image: `trimtab:${version}`,
    args: ['controller', '-n', namespace, '--home-namespace', namespace, '--health-host', '0.0.0.0'],
    readinessProbe: { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 1 },
  });
  await kubectl('wait', '--for=condition=Ready', 'pod/controller', '--timeout=60s');
  expect(
    await kubectl('get', 'pod', 'controller', '-o', 'jsonpath={.status.containerStatuses[0].restartCount}'),
  ).toBe('0');
});

test('skopeo copies all platforms and the bills of materials', () => {
  const skopeo = findProgram('skopeo');
  if (skopeo === undefined)
    throw new Error(
      'Debian package skopeo is missing. Install: apt-get install --no-install-recommends skopeo',
    );
  for (const { archive, definition, digest: of } of images) {
    const to = path.join(folder, `${definition.name}-copy`);
    execFileSync(skopeo, [
      '--insecure-policy',
      'copy',
      '--quiet',
      '--all',
      `oci-archive:${archive}`,
      `dir:${to}`,
    ]);
    const index = readFileSync(path.join(to, 'manifest.json'));
    expect(JSON.parse(index.toString()).manifests).toHaveLength(2 * platforms.length);
    expect(digest(index)).toBe(of);
    const inspected = JSON.parse(
      execFileSync(skopeo, ['inspect', '--config', `docker-archive:${archive}`], { encoding: 'utf8' }),
    );
    expect(inspected).toMatchObject({
      architecture: 'amd64',
      config: { User: '65532:65532', Entrypoint: [`/${definition.name}`] },
    });
  }
});
