import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { chooseKubectl } from './find-kubectl.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trimtab-kubectl-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A fake kubectl that prints this version. */
function kubectl(place: string, gitVersion: string): string {
  const path = join(folder, place);
  mkdirSync(path, { recursive: true });
  const answer = JSON.stringify({ clientVersion: { gitVersion } });
  writeFileSync(join(path, 'kubectl'), `#!/bin/sh\necho '${answer}'\n`, { mode: 0o755 });
  return path;
}

const choose = (...path: string[]) =>
  chooseKubectl({ PATH: path.join(delimiter), XDG_CACHE_HOME: join(folder, 'cache') });

test.each(['v1.35.10', 'v1.36.0', 'v1.37.2-distribution'])('kubectl %s on the PATH is used', (version) => {
  const place = kubectl('bin', version);
  expect(choose(place)).toEqual({ file: join(place, 'kubectl') });
});

test('the first kubectl on the PATH that the local API server supports is used', () => {
  const [old, fit] = [kubectl('old', 'v1.32.4'), kubectl('fit', 'v1.36.3')];
  expect(choose(old, fit)).toEqual({ file: join(fit, 'kubectl') });
});

test.each([
  ['v1.34.9', 'v1.34.9'],
  ['v1.38.0', 'v1.38.0'],
  ['v2.36.0', 'v2.36.0'],
  ['nonsense', 'nonsense'],
])('kubectl %s is not used, and the reason names it', (version, shown) => {
  const place = kubectl('bin', version);
  const because = `${join(place, 'kubectl')} is ${shown}, and the local API server supports v1.35 to v1.37`;
  expect(choose(place)).toEqual({ because });
});

test('a kubectl that does not start is not used', () => {
  const place = join(folder, 'broken');
  mkdirSync(place);
  writeFileSync(join(place, 'kubectl'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  expect(choose(place)).toHaveProperty('because', expect.stringContaining('is of an unknown version'));
});

test('without any kubectl the reason says so', () => {
  expect(choose(folder)).toEqual({ because: 'there is no kubectl on the PATH' });
});

test('the kubectl that the test bed has built goes before those on the PATH', () => {
  const built = kubectl('cache/trimtab/bed/bin-v1.36.3-abc', 'v1.36.3');
  expect(choose(kubectl('bin', 'v1.36.0'))).toEqual({ file: join(built, 'kubectl') });
});

test('TRIMTAB_KUBECTL names one, or none', () => {
  expect(chooseKubectl({ TRIMTAB_KUBECTL: '/opt/kubectl' })).toEqual({ file: '/opt/kubectl' });
  expect(chooseKubectl({ TRIMTAB_KUBECTL: '' })).toHaveProperty('because');
});
