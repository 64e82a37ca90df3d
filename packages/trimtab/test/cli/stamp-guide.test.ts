import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { findKubectl } from '@trimtab/test-bed/engines/find-kubectl.ts';
import { openLocalEngine } from '@trimtab/test-bed/engines/local-engine.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { guideSteps, outputPattern } from '../support/guide-blocks.ts';
import { GuideTerminal } from '../support/guide-terminal.ts';

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

  test('every block of the guide does what the guide says', async () => {
    for (const step of guideSteps('stamp.md')) {
      if ('file' in step) {
        terminal.save(step.file, step.text);
        continue;
      }
      const { code, stdout, stderr } = await terminal.run(step.script);
      const isError = step.output?.startsWith('error: ') === true;
      expect(code, `${step.script}\n${stderr}`).toBe(isError ? 1 : 0);
      if (step.output !== undefined)
        expect((isError ? stderr : stdout).trim(), step.script).toMatch(outputPattern(step.output));
    }
  });
});
