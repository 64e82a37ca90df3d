import { hasTerminals, noTerminals } from '@trimtab/local-cluster/kubelet/runtime/terminal.ts';
import { describe, expect, test } from 'vitest';
import { UpProcess } from './up-process.ts';

describe('npm start in a terminal', { timeout: 180_000 }, () => {
  test('g changes the demo, t shows the live tree in place until a key is pressed, q quits', async () => {
    expect(hasTerminals(), noTerminals).toBe(true);
    await using up = await UpProcess.inFolder({ NO_COLOR: '', TERM: 'xterm' });
    await up.startInTerminal();
    expect(up.output).toContain('\x1b[1mTrimtab is up\x1b[0m');
    await up.prints(/default demo 1\.0\.0\S*: \S*current/);

    up.press('g');
    await up.prints('colour set to green');
    up.press('t');
    await up.prints('deployment/demo');
    const before = up.output.length;
    await up.prints(/Version 1\.0\.1 is current/);
    expect(up.output.slice(before), 'lines wait while the tree is shown').not.toContain('default demo 1.0.1');
    up.press('x');
    await up.prints(/default demo 1\.0\.1\S*: \S*current after \d+ s/);

    up.press('q');
    expect(await up.ended()).toBe(0);
  });
});
