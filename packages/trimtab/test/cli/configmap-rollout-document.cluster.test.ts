import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { afterAll, expect, test } from 'vitest';
import { GuideTerminal } from '../support/guide-terminal.ts';
import { mountedBy, podsRun } from '../support/mounted-versions.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { lineOf, settled } from '../support/settled.ts';
import { documentSessions } from './support/document-sessions.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const alias = "shopt -s expand_aliases\nalias kubectl='trimtab kubectl'\n";

/** Every command starts a process of its own. */
const patient = { timeout: 120_000 };

test.each(documentSessions('configmap-rollout'))(
  'the commands of the document work as it says: $title',
  patient,
  async ({ commands }) => {
    await using it = await ReleaseStory.start(engine);
    await it.shortBake(['foo']);
    const folder = await mkdtemp(path.join(tmpdir(), 'trimtab-document-'));
    try {
      const kubeconfig = await engine.kubeconfigOf(undefined);
      const terminal = new GuideTerminal({ folder, kubectl: engine.kubectl, kubeconfig });
      const typed = (command: string) => terminal.run(`${alias}${command}\n`);
      await typed(`kubectl config set-context --current --namespace=${it.namespace}`);
      terminal.save('config.yml', 'color: blue\n');
      await it.given.objects(deployment('bar'));

      for (const { command, output } of commands) {
        const { stdout, stderr, code } = await typed(command);
        expect({ stdout, code }, `${command}\n${stderr}`).toEqual({ stdout: output, code: 0 });
      }
      const first = await settled(it, '1.0.0', ['bar']);
      const version = first.status?.current?.object;
      expect(await mountedBy(it, 'bar')).toBe(version);
      expect(version).toMatch(/^foo-[a-z2-7]{10}$/);

      const mount = commands.at(-1)?.command ?? '';
      expect(await typed(mount)).toMatchObject({ stdout: 'deployment "bar" updated\n', stderr: '', code: 0 });
      expect(await mountedBy(it, 'bar')).toBe(version);

      const edit = `kubectl patch configmap foo --type=merge -p '{"data":{"config.yml":"color: green\\n"}}'`;
      expect(await typed(edit)).toMatchObject({ stdout: 'configmap/foo patched\n', code: 0 });
      const second = await settled(it, '1.0.1', ['bar']);
      expect(await mountedBy(it, 'bar')).toBe(second.status?.current?.object);

      const undo = await typed('kubectl rollout undo deployment/bar');
      expect(undo).toMatchObject({ stdout: 'deployment.apps/bar rolled back\n', code: 0 });
      await it.rolloutIs('bar keeps what undo chose', (status) => lineOf(status, 'bar')?.state === 'Pinned');
      await podsRun(it, 'bar', version);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
