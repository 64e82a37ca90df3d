import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { AgentProcess } from './support/agent-process.ts';
import { AgentScene, visibleFiles } from './support/agent-scene.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const program = join(import.meta.dirname, 'support/agent-killed-at.ts');
const before = { same: 'old', removed: 'old', 'conf.d__a': 'old' };
const after = { same: 'new', added: 'new', 'conf.d__b': 'new' };
const filesBefore = { same: 'old', removed: 'old', 'conf.d/a': 'old' };
const filesAfter = { same: 'new', added: 'new', 'conf.d/b': 'new' };

/** Runs the agent on a copy of the folder with the old set until it is killed at a step, or has done its work. */
async function runUntil(it: AgentScene, flags: string[], killAt: number) {
  const root = join(it.scratch, `root-${killAt}`);
  const steps = join(it.scratch, `steps-${killAt}`);
  cpSync(it.root, root, { recursive: true, verbatimSymlinks: true });
  const args = [...flags, `--configroot=${root}`];
  const agent = new AgentProcess(args, {
    command: [process.execPath, [program, ...args]],
    env: { STEPS: steps, KILL_AT: String(killAt) },
  });
  return { root, agent, steps: () => readFileSync(steps, 'utf8').trim().split('\n') };
}

describe.each([
  { what: 'a reload', verify: '--verify-exec=true', message: 'config applied', end: filesAfter },
  {
    what: 'a refused reload',
    // Accepts the old files only.
    verify: "--verify-exec=sh -c 'grep -q old $ROOT/same'",
    message: 'config rejected; the last good files are in place',
    end: filesBefore,
  },
])('an agent that is killed at any step of $what', ({ verify, message, end }) => {
  test('leaves one whole set, and its successor completes the work', async () => {
    await using it = await AgentScene.open(engine);
    await it.given.objects(configMap('foo', before));
    await it.grantPrintedRole('--configmap=foo');
    const access = ['--kubeconfig', await it.kubeconfig(), '--namespace', it.namespace];
    const flags = [...access, '--configmap=foo', '--nested-keys', '--reload-exec=true'];
    await using first = new AgentProcess([
      ...access,
      '--configmap=foo',
      '--nested-keys',
      '--once',
      '--configroot',
      it.root,
    ]);
    expect(await first.ended, first.log).toBe(0);
    await it.edit('foo', after);

    const checked = (root: string) => [...flags, verify.replace('$ROOT', root)];
    const undisturbed = await runUntil(it, checked(join(it.scratch, 'root-0')), 0);
    await undisturbed.agent.logs(message);
    await undisturbed.agent[Symbol.asyncDispose]();
    const steps = undisturbed.steps();
    expect(steps).toEqual(expect.arrayContaining(['create set', 'write file', 'switch ..data', 'add link']));
    expect(visibleFiles(undisturbed.root)).toEqual(end);

    // Of steps with one name, such as the files of a set, the first and the last are enough.
    const isOneOf = (step: string, index: number) =>
      steps.indexOf(step) === index || steps.lastIndexOf(step) === index;
    const killed = steps.flatMap((step, index) => (isOneOf(step, index) ? [index + 1] : []));
    await threeAtATime(killed, async (killAt) => {
      const root = join(it.scratch, `root-${killAt}`);
      const { agent } = await runUntil(it, checked(root), killAt);
      expect(await agent.ended, `${steps[killAt - 1]}: ${agent.log}`).toBe(137);
      expect([filesBefore, filesAfter]).toContainEqual(visibleFiles(root));

      await using successor = new AgentProcess([...checked(root), `--configroot=${root}`]);
      await successor.isReady();
      await waitFor(`the files after a kill at '${steps[killAt - 1]}'`, async () => {
        const files = visibleFiles(root);
        return isDeepStrictEqual(files, end) ? { met: true } : { seen: JSON.stringify(files) };
      });
    });
  });
});

async function threeAtATime(numbers: number[], work: (number: number) => Promise<void>): Promise<void> {
  const queue = [...numbers];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await work(next);
  };
  await Promise.all([worker(), worker(), worker()]);
}
