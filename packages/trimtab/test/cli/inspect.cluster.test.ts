import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InspectedRelease, leaks } from './support/inspected-release.ts';
import { stableText } from './support/stable-text.ts';

const engine = await currentEngine();
let release: InspectedRelease;

beforeAll(async () => {
  release = await InspectedRelease.start(engine);
});

afterAll(async () => {
  await release?.[Symbol.asyncDispose]();
  await engine.close();
});

test('versions lists the versions with the pods that run them, oldest first', async () => {
  const { stdout, stderr, code } = await release.trimtab('versions', 'foo');
  console.log(stdout, stderr, code);
  console.log((await release.trimtab('versions', 'foo', '-o', 'wide')).stdout);
  console.log((await release.trimtab('versions', 'secret/key', '-o', 'json')).stdout);
  console.log(await release.asAnna('versions', 'secret/key'));
  console.log((await release.trimtab('history', 'foo')).stdout);
  console.log((await release.trimtab('history', 'secret/key')).stdout);
  console.log((await release.trimtab('diff', 'foo')).stdout);
  console.log(await release.trimtab('diff', 'secret/key', '1.0.0'));
  console.log(await release.trimtab('uses', 'foo'));
  console.log((await release.trimtab('uses', 'deployment/web')).stdout);
  console.log(await release.asAnna('uses', 'deployment/web'));
  console.log(await release.asAnna('uses', 'foo'));
  expect(stableText(stdout)).not.toMatch(leaks);
});
