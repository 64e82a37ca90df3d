import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { containerOf, KubeletStage, processesWith, script } from '../../test/support/kubelet-stage.ts';

let stage: KubeletStage;
let stateDir: string;
const processes: ChildProcess[] = [];

beforeAll(async () => {
  stage = await KubeletStage.open();
  // The kubelets that the tests kill run as separate processes, so the kubelet of the stage is stopped.
  await stage.kubelet.close(0);
  stateDir = await mkdtemp(join(tmpdir(), 'test-killed-'));
});

// Two kubelets must never share a state folder, even after a failed test.
afterEach(async () => {
  for (const each of processes.splice(0))
    if (each.exitCode === null && each.signalCode === null) await kill(each);
});

afterAll(async () => {
  stage.useStateDir(stateDir);
  await stage.restart();
  await stage.close();
  await rm(stateDir, { recursive: true, force: true });
});

async function startKubeletProcess(): Promise<ChildProcess> {
  const program = join(import.meta.dirname, '../../test/support/kubelet-process.ts');
  const child = spawn(process.execPath, [program, stage.local.server.kubeconfigFile, stateDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  processes.push(child);
  await once(child.stdout, 'data');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** A container whose processes can be identified by `mark`. */
const marked = (text: string, mark: string) => script(text, { env: [{ name: 'MARK', value: mark }] });

const untilNone = (text: string) =>
  waitFor(`no process has ${text}`, async () => {
    const left = await processesWith(text);
    return left.length === 0 ? { met: true } : { seen: left.join() };
  });

describe('after a kill -9 of the kubelet', { timeout: 120_000 }, () => {
  it('the next one ends what was left, exactly that, and starts the pods anew', async () => {
    const first = await startKubeletProcess();
    const mark = `${stateDir}#left`;
    const stranger = spawn('sleep', ['600'], { stdio: 'ignore', env: { ...process.env, MARK: mark } });
    const app = marked('sleep 600 & setsid sleep 600 & exec sleep 600', mark);
    const names = await Promise.all([1, 2, 3].map(() => stage.run({ containers: [app] })));
    for (const name of names) await stage.untilReady(name);
    await waitFor('all processes', async () => {
      const all = await processesWith(mark);
      // Three per pod, and one unrelated process with the same mark.
      return all.length === 10 ? { met: true } : { seen: `${all.length}` };
    });
    await kill(first);
    const orphans = await processesWith(mark);
    expect(orphans).toHaveLength(10);
    const second = await startKubeletProcess();
    for (const name of names) {
      const pod = await stage.until(name, 'was restarted', (each) => containerOf(each).restartCount === 1);
      expect(containerOf(pod).lastState.terminated).toMatchObject({ exitCode: 255, reason: 'Unknown' });
      await stage.untilReady(name);
    }
    const now = new Set(await processesWith(mark));
    expect(orphans.filter((pid) => now.has(pid))).toEqual([stranger.pid]);
    expect(await stage.untilEvent(names[0] ?? '', 'SandboxChanged')).toBeDefined();
    stranger.kill('SIGKILL');
    await kill(second);
  });

  it('pods that were deleted meanwhile leave nothing behind', async () => {
    const first = await startKubeletProcess();
    const mark = `${stateDir}#deleted`;
    const name = await stage.run({ containers: [marked('exec sleep 600', mark)] });
    const { metadata } = await stage.untilReady(name);
    await kill(first);
    await stage.delete(name, 0);
    const second = await startKubeletProcess();
    await untilNone(mark);
    await waitFor('the folder of the pod is gone', async () => {
      const folders = await readdir(join(stateDir, 'pods'));
      return folders.includes(metadata.uid ?? '') ? { seen: folders.join() } : { met: true };
    });
    await kill(second);
  });

  it('a pod that is never restarted has failed', async () => {
    const first = await startKubeletProcess();
    const mark = `${stateDir}#never`;
    const name = await stage.run({ restartPolicy: 'Never', containers: [marked('exec sleep 600', mark)] });
    await stage.untilReady(name);
    await kill(first);
    const second = await startKubeletProcess();
    const pod = await stage.untilPhase(name, 'Failed');
    expect(containerOf(pod).state.terminated).toMatchObject({ exitCode: 255, reason: 'Unknown' });
    await untilNone(mark);
    await kill(second);
  });
});

it('killed again and again in the middle of starts, no process is ever lost', async () => {
  const names: string[] = [];
  const mark = `${stateDir}#again`;
  for (let round = 0; round < 3; round++) {
    const kubelet = await startKubeletProcess();
    for (let n = 0; n < 4; n++) names.push(await stage.run({ containers: [marked('exec sleep 600', mark)] }));
    // The kill happens as soon as the first process exists, while others are still starting.
    await waitFor(
      'a process',
      async () => {
        const all = await processesWith(mark);
        return all.length > 0 ? { met: true } : { seen: 'none' };
      },
      { everyMs: 1 },
    );
    await kill(kubelet);
  }
  const last = await startKubeletProcess();
  // The pods' status may still be from the previous kubelet; their processes cannot be.
  await waitFor('one process for each pod', async () => {
    const all = await processesWith(mark);
    return all.length === names.length ? { met: true } : { seen: `${all.length}` };
  });
  for (const name of names) await stage.untilReady(name);
  expect(await processesWith(mark)).toHaveLength(names.length);
  for (const name of names) await stage.delete(name, 1);
  for (const name of names) await stage.untilGone(name);
  expect(await processesWith(mark)).toEqual([]);
  await kill(last);
}, 120_000);
