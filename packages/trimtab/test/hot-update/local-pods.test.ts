import { existsSync } from 'node:fs';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { findKubectl } from '@trimtab/test-bed/engines/find-kubectl.ts';
import { openLocalEngineWithNode } from '@trimtab/test-bed/engines/local-engine.ts';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { HotUpdateTerminal } from './support/hot-update-terminal.ts';

/** The hot-update study and its guide on the local cluster, where pods are processes of this machine. */

let engine: Engine;

beforeAll(async () => {
  // No request is sent to nginx. The real one listens on port 80 of this machine, which two pods cannot do at the same time.
  const nginx = { entrypoint: [], cmd: ['sleep', '1000000'] };
  engine = await openLocalEngineWithNode({ refreshMs: 500, images: new Map([['nginx', nginx]]) });
});
afterAll(() => engine?.close());

const isPython = existsSync('/usr/bin/python3');

describe.runIf(process.platform === 'linux' && findKubectl() !== undefined)('on the local cluster', () => {
  const timeout = 120_000;

  test('the ConfigMap of the study', { timeout }, async () => {
    await using terminal = await HotUpdateTerminal.open(engine);
    await terminal.study('config-map');
  });

  test.runIf(isPython)('is in the store as etcdctl shows it', { timeout }, async () => {
    await using terminal = await HotUpdateTerminal.open(engine);
    await terminal.study('config-map', 'etcd');
  });

  test('environment variables never change, and the annotation rolls', { timeout }, async () => {
    await using terminal = await HotUpdateTerminal.open(engine);
    await terminal.study('env');
  });

  test('volumes change, and subPath mounts never do', { timeout }, async () => {
    await using terminal = await HotUpdateTerminal.open(engine);
    await terminal.study('volume');
  });

  test('with Trimtab, an edit reaches all of them', { timeout }, async () => {
    await using terminal = await HotUpdateTerminal.open(engine);
    await terminal.studyWithTrimtab();
  });

  test('every block of the guide does what the guide says', { timeout }, async () => {
    await using terminal = await HotUpdateTerminal.open(engine);
    await terminal.guide();
  });
});
