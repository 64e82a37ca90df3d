import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, beforeAll, test } from 'vitest';
import { HotUpdateTerminal } from './support/hot-update-terminal.ts';

/** The hot-update study and its guide in real containers. */

// A kubelet takes up to 90 s to update a volume.
const timeout = 300_000;

let engine: Engine;

beforeAll(async () => {
  engine = await currentEngine();
  await engine.loadProgramImage('nginx', 'harbor-001.jimmysong.io/library/nginx:1.9');
  await engine.loadProgramImage('nginx', 'nginx:1.29');
});
afterAll(() => engine?.close());

test('environment variables never change, and the annotation rolls', { timeout }, async () => {
  await using terminal = await HotUpdateTerminal.open(engine);
  await terminal.study('config-map', 'env');
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
