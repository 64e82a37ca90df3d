import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { identityOf } from '../runtime/process-identity.ts';
import type { ContainerRecord } from './container-record.ts';
import { PodFolder } from './pod-folder.ts';
import { recoverPods } from './recover.ts';

let podsDir: string;

beforeEach(() => {
  podsDir = mkdtempSync(join(tmpdir(), 'test-recover-'));
});

afterEach(() => rmSync(podsDir, { recursive: true, force: true }));

function remember(app: ContainerRecord): void {
  const state = { uid: 'u1', namespace: 'shop', name: 'web', startedAt: 1, containers: { app } };
  new PodFolder(podsDir, 'u1').save(state);
}

const recovered = (now = 9_000) => recoverPods(podsDir, now).states[0]?.containers['app'];

async function stranger() {
  const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  await once(child, 'spawn');
  return { child, identity: identityOf(child.pid ?? 0) ?? { pid: 0, began: '' } };
}

describe('a container that ran', () => {
  it('is ended, and nobody saw how', async () => {
    const { child, identity } = await stranger();
    const exited = once(child, 'exit');
    remember({ made: 2, current: { id: 'c2', startedAt: 5, process: identity } });
    expect(recovered()).toEqual({
      made: 2,
      fromBefore: true,
      exit: { containerID: 'c2', exitCode: 255, reason: 'Unknown', startedAt: 5, finishedAt: 9_000 },
    });
    expect(await exited).toEqual([null, 'SIGKILL']);
  });

  it('and whose PID now belongs to another process is not killed', async () => {
    const { child, identity } = await stranger();
    remember({ made: 1, current: { id: 'c1', startedAt: 5, process: { ...identity, began: 'long ago' } } });
    expect(recoverPods(podsDir, 1).killed).toBe(0);
    expect(child.signalCode).toBeNull();
    child.kill('SIGKILL');
  });
});

it('a start that was not through did not happen, and what was before still counts', () => {
  const exit = { containerID: 'c1', exitCode: 3, reason: 'Error', startedAt: 1, finishedAt: 2 };
  remember({ made: 2, current: { id: 'c2', startedAt: 5 }, exit });
  expect(recovered()).toEqual({ made: 1, exit, fromBefore: true });
});

it.each(['', '{', 'null', '[]', '"x"', '{}', '{"uid":1}', '{"uid":"u1","containers":null}'])(
  'a file that says %j is no reason to fail',
  (text) => {
    mkdirSync(join(podsDir, 'u1'));
    writeFileSync(join(podsDir, 'u1', 'state.json'), text);
    expect(() => recoverPods(podsDir, 1)).not.toThrow();
  },
);
