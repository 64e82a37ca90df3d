import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { containerOf, KubeletStage, processesWith, script } from '../../test/support/kubelet-stage.ts';

let stage: KubeletStage;
const maxLogBytes = 1_000_000;

beforeAll(async () => {
  stage = await KubeletStage.open({ maxLogBytes });
});

afterAll(() => stage.close());

describe('a program that misbehaves is contained', () => {
  it('one that writes without end fills two files and no more; its last lines are there', async () => {
    const name = await stage.run({
      restartPolicy: 'Never',
      containers: [script('yes 0123456789012345678901234567890123456789 | head -n 500000; echo the end')],
    });
    const { metadata } = await stage.untilPhase(name, 'Succeeded');
    const folder = join(stage.stateDir, 'pods', metadata.uid ?? '', 'logs', 'app');
    const files = (await readdir(folder)).sort();
    expect(files).toEqual(['0.log', '0.log.1']);
    for (const file of files) expect((await stat(join(folder, file))).size).toBeLessThanOrEqual(maxLogBytes);
    expect(await stage.log(name, { tailLines: 1 })).toBe('the end\n');
  });

  it('one that crashes again and again keeps the logs of two runs only', async () => {
    const name = await stage.run({ containers: [script('echo run; exit 1')] });
    const { metadata } = await stage.until(
      name,
      'crashed four times',
      (pod) => containerOf(pod).restartCount === 4,
    );
    await stage.until(name, 'backs off', (pod) => containerOf(pod).state.waiting !== undefined);
    const files = await readdir(join(stage.stateDir, 'pods', metadata.uid ?? '', 'logs', 'app'));
    expect(files.length).toBeLessThanOrEqual(2);
    await stage.delete(name, 1);
    await stage.untilGone(name);
  });

  it('one that forks and ignores every signal is gone with its pod', async () => {
    const wild = `trap '' TERM HUP INT; for n in 1 2 3 4 5 6 7 8; do (trap '' TERM; setsid sleep 600) & done; sleep 600`;
    const name = await stage.run({ containers: [script(wild)] });
    const { metadata } = await stage.untilReady(name);
    await waitFor('all processes of the pod', async () => {
      const all = await processesWith(metadata.uid ?? '');
      return all.length >= 10 ? { met: true } : { seen: `${all.length}` };
    });
    await stage.delete(name, 1);
    await stage.untilGone(name);
    expect(await processesWith(metadata.uid ?? '')).toEqual([]);
  });
});

describe('what cannot be written down', () => {
  it('is not started: the pod says so, and goes on when it can be written again', async () => {
    const app = script('until [ -e go ]; do sleep 0.02; done; rm go; exit 1');
    const name = await stage.run({ containers: [app] });
    const { metadata } = await stage.untilReady(name);
    // A folder at the path of the file makes the write fail, as a full disk would.
    const blocked = join(stage.stateDir, 'pods', metadata.uid ?? '', 'state.json.new');
    await mkdir(blocked);
    const { prepared } = stage.kubelet.containers.running('default', name, 'app');
    await writeFile(join(prepared.cwd, 'go'), '');
    const pod = await stage.until(
      name,
      'reports CreateContainerError',
      (each) => containerOf(each).state.waiting?.reason === 'CreateContainerError',
    );
    expect(containerOf(pod).state.waiting?.message).toContain('EISDIR');
    expect(containerOf(pod).restartCount).toBe(0);
    await stage.untilEvent(name, 'Failed: Error: EISDIR');
    expect(await processesWith(metadata.uid ?? '')).toEqual([]);
    await rm(blocked, { recursive: true });
    await stage.until(name, 'runs again', (each) => containerOf(each).restartCount === 1);
    await stage.untilReady(name);
  });
});
