import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { containerOf, KubeletStage, script } from '../../test/support/kubelet-stage.ts';
import { probeMounts } from './mounts/probe-mounts.ts';
import { PodFolder, podsFolder } from './pod/pod-folder.ts';

const scratch = await mkdtemp(join(tmpdir(), 'test-mountinfo-'));
const mounts = await probeMounts(scratch);

afterAll(() => rm(scratch, { recursive: true, force: true }));

/** The mounts of a process by mount point, each with the path that is mounted there. */
async function mountsOf(pid: number): Promise<Map<string, string>> {
  const lines = (await readFile(`/proc/${pid}/mountinfo`, 'utf8')).trimEnd().split('\n');
  return new Map(
    lines.map((line) => {
      const [, , , root = '', point = ''] = line.split(' ');
      return [point, root];
    }),
  );
}

describe.runIf(mounts.way === 'namespaces')('/proc/PID/mountinfo of a container', () => {
  let stage: KubeletStage;

  beforeAll(async () => {
    stage = await KubeletStage.open({}, { mounts });
  });

  afterAll(() => stage.close());

  const mountsOfContainer = (uid: string, container: string) => {
    const state = new PodFolder(podsFolder(stage.stateDir), uid).read();
    return mountsOf(state?.containers[container]?.current?.process?.pid ?? 0);
  };

  it('names the pod, the container and its volumes, with the paths of a kubelet', async () => {
    const volumeMounts = [{ name: 'scratch', mountPath: '/test-scratch' }];
    const forever = (name: string) => script('exec sleep 600', { name, volumeMounts });
    const name = await stage.run({
      volumes: [{ name: 'scratch', emptyDir: {} }],
      containers: [forever('app'), { ...forever('side'), terminationMessagePath: '/dev/why' }],
    });
    const { uid = '' } = (await stage.untilReady(name)).metadata;
    const pod = `/pods/${uid}`;
    const [app, side] = [await mountsOfContainer(uid, 'app'), await mountsOfContainer(uid, 'side')];
    expect(app.get('/dev/termination-log')).toMatch(new RegExp(`${pod}/containers/app/[0-9a-f]{8}$`));
    expect(side.get('/dev/why')).toMatch(new RegExp(`${pod}/containers/side/[0-9a-f]{8}$`));
    expect(side.has('/dev/termination-log')).toBe(false);
    for (const each of [app, side])
      expect(each.get('/test-scratch')).toMatch(
        new RegExp(`${pod}/volumes/kubernetes\\.io~empty-dir/scratch$`),
      );
  });

  it('shows a new termination log after a restart, and the old one is removed', async () => {
    const name = await stage.run({
      volumes: [{ name: 'scratch', emptyDir: {} }],
      containers: [
        script(
          'mkdir /test-scratch/once 2>/dev/null && { echo first > /dev/termination-log; exit 1; }; exec sleep 600',
          { volumeMounts: [{ name: 'scratch', mountPath: '/test-scratch' }] },
        ),
      ],
    });
    const { metadata, status } = await stage.until(
      name,
      'runs again',
      (pod) => containerOf(pod).restartCount === 1 && containerOf(pod).state.running !== undefined,
    );
    expect(status?.containerStatuses?.[0]?.lastState.terminated?.message).toBe('first\n');
    const { uid = '' } = metadata;
    const shown = (await mountsOfContainer(uid, 'app')).get('/dev/termination-log') ?? '';
    const kept = await readdir(join(podsFolder(stage.stateDir), uid, 'containers', 'app'));
    expect(kept.filter((each) => /^[0-9a-f]{8}$/.test(each))).toEqual([
      shown.slice(shown.lastIndexOf('/') + 1),
    ]);
  });
});
