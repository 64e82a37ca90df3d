import { guideSteps } from './guide-blocks.ts';
import { expectOutput } from './guide-output.ts';
import type { GuideTerminal } from './guide-terminal.ts';

/**
 * Runs the code blocks of a guide in docs/guides, of one of its sections, or of the page at an absolute path, in order:
 * saves its manifests, runs its scripts and compares their output.
 */
export async function runGuide(guide: string, terminal: GuideTerminal, section?: string): Promise<void> {
  for (const step of guideSteps(guide, section)) {
    if ('file' in step) terminal.save(step.file, step.text);
    else await expectOutput(step, () => terminal.run(step.script));
  }
}
