import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { type GuideScript, outputPattern } from './guide-blocks.ts';
import type { ScriptResult } from './guide-terminal.ts';

/** Runs a script and compares its output with the guide. A script without an output in the guide must succeed. */
export async function expectOutput(
  { script, output }: Omit<GuideScript, 'where'>,
  run: () => Promise<ScriptResult>,
): Promise<void> {
  if (output === undefined) {
    const { code, stdout, stderr } = await run();
    expect(code, `${script}\n${stdout}${stderr}`).toBe(0);
    return;
  }
  const pattern = outputPattern(output);
  // Readers wait a moment and look again.
  const mayRepeat = /^kubectl (get|logs) /.test(script);
  if (!mayRepeat) return expect(shown(await run()), script).toMatch(pattern);
  await waitFor(`the output of ${script}`, async () => {
    const seen = shown(await run());
    return pattern.test(seen) ? { met: true } : { seen };
  });
}

function shown({ code, stdout, stderr }: ScriptResult): string {
  // kubectl ends some lines with a space, which no editor keeps in a page.
  return (code === 0 ? stdout : stderr).replaceAll(/ +$/gm, '').trim();
}
