import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { findKubectl } from '@trimtab/test-bed/engines/find-kubectl.ts';
import { openLocalEngine } from '@trimtab/test-bed/engines/local-engine.ts';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { GuideTerminal } from '../support/guide-terminal.ts';
import { runGuide } from '../support/run-guide.ts';

/** The blocks of docs/guides/stamp.md in order, on the local cluster. */

let engine: Engine;
let folder: string;
let terminal: GuideTerminal;

describe.runIf(findKubectl() !== undefined)('on the local cluster', () => {
  beforeAll(async () => {
    engine = await openLocalEngine();
    folder = mkdtempSync(join(tmpdir(), 'trimtab-guide-'));
    terminal = new GuideTerminal({
      ...{ folder, kubectl: engine.kubectl, kubeconfig: await engine.kubeconfigOf(undefined) },
    });
    // The guide runs the script in the root of the repository.
    const script = 'bin/configMapVersion.js';
    copyFileSync(resolve(import.meta.dirname, '../../../..', script), join(folder, script));
  });
  afterAll(async () => {
    await engine?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('every block of the guide does what the guide says', { timeout: 120_000 }, async () => {
    await runGuide('stamp.md', terminal);
  });
});
