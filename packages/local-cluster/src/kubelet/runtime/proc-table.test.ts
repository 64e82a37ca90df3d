import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { procTable } from './proc-table.ts';

const variable = 'PROC_TABLE_TEST';

describe.runIf(process.platform === 'linux')('a process is found by its environment', () => {
  test('also while it replaces itself again and again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'proc-table-'));
    const script = join(folder, 'exec-for-ever');
    writeFileSync(script, 'exec /bin/sh "$0"\n');
    const child = spawn('/bin/sh', [script], { env: { [variable]: 'mine' } });
    try {
      await once(child, 'spawn');
      const pid = child.pid ?? 0;
      for (let round = 0; round < 2_000; round++)
        expect(procTable.marked(variable, new Set(['mine']), pid), `round ${round}`).toContain(pid);
    } finally {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true });
    }
  });

  test('and one without any environment is not found', async () => {
    const child = spawn('sleep', ['600'], { env: {} });
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    expect(procTable.marked(variable, new Set(['mine']), pid)).not.toContain(pid);
    child.kill('SIGKILL');
  });
});
