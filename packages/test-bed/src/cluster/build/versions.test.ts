import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { binaryNames, linkerFlags, parseVersions } from './versions.ts';

const goMod = readFileSync(join(import.meta.dirname, '..', 'go', 'go.mod'), 'utf8');

test("the bed's own go.mod names every version and program", () => {
  const versions = parseVersions(goMod);
  for (const version of [versions.kubernetes, versions.etcd, versions.kwok])
    expect(version).toMatch(/^v\d+\.\d+\.\d+$/);
  const programs = versions.tools.map((tool) => binaryNames(tool).wanted);
  expect(programs).toEqual(
    expect.arrayContaining(['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler']),
  );
  expect(programs).toEqual(expect.arrayContaining(['kubelet', 'kube-proxy', 'kubectl', 'kwok']));
});

test('the staging modules have the version of Kubernetes itself', () => {
  const minorAndPatch = parseVersions(goMod).kubernetes.replace(/^v1/, 'v0');
  const replaced = [...goMod.matchAll(/^\t(k8s\.io\/\S+) => \1 (\S+)$/gm)];
  expect(replaced.length).toBeGreaterThan(20);
  for (const [, module, version] of replaced)
    expect(`${module} ${version}`).toBe(`${module} ${minorAndPatch}`);
});

test('the programs are told their version', () => {
  const flags = linkerFlags({ kubernetes: 'v1.36.3', etcd: 'v3.6.16', kwok: 'v0.8.0', tools: [] });
  expect(flags).toContain('-X k8s.io/component-base/version.gitVersion=v1.36.3');
  expect(flags).toContain('gitMinor=36');
  expect(flags).toContain('-X sigs.k8s.io/kwok/pkg/consts.Version=v0.8.0');
});

test('a go.mod without tools or without Kubernetes is refused', () => {
  expect(() => parseVersions('module x\n')).toThrow('tools');
  expect(() => parseVersions('tool (\n\ta/b\n)\n')).toThrow('k8s.io/kubernetes');
});
