import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { chooseKubectl } from '@trimtab/test-bed/engines/find-kubectl.ts';
import { openLocalEngine } from '@trimtab/test-bed/engines/local-engine.ts';
import { describe, expect, test } from 'vitest';
import { UpProcess } from '../../demo/test/up-process.ts';
import { finalText } from '../picture/final-text.ts';
import { retime } from '../picture/recording.ts';
import { playRecording } from '../picture/screen-timeline.ts';
import { commandsIn, consoleCommands } from './console-blocks.ts';
import { quietNpm, runInShell } from './run-readme.ts';
import { showsOutput, withoutRunDetails } from './same-output.ts';

const root = path.dirname(path.dirname(import.meta.dirname));
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
const shown = consoleCommands(readme);
const inShell = shown.filter(({ command }) => command !== 'npm start');

describe('README.md', { timeout: 240_000 }, () => {
  test('shows what npm start and the commands really print', async () => {
    await using up = await UpProcess.inFolder({ NO_COLOR: '1' });
    await up.startInTerminal();
    await up.prints('demo 1.0.0: current');
    const banner = shown.find(({ command }) => command === 'npm start');
    const printed = up.output.replaceAll(up.stateDir, '~/trimtab/.trimtab').replaceAll('\r\n', '\n');
    expectShown(`…\n${banner?.output}…\n`, printed);

    const commands = inShell.map(({ command }) => command);
    const recording = await runInShell(up, commands, { typingMs: 0, holdMs: () => 0 });
    const timeline = await playRecording(retime(recording, { idleMs: 0, togetherMs: 0 }));
    const ran = commandsIn(finalText(timeline));
    for (const [index, { command, output }] of inShell.entries()) {
      expect(ran[index]?.command).toBe(command);
      expectShown(output, ran[index]?.output ?? '');
    }
  });

  test('installs on a cluster as it says', async () => {
    const engine = await openLocalEngine();
    try {
      for (const block of shellBlocks(readme)) {
        const { code, errors } = await runScript(block, engine.kubeconfig);
        expect(code, errors).toBe(0);
      }
    } finally {
      await engine.close();
    }
  });
});

/** Run `npm run picture` when this fails: it writes the output of the commands into README.md. */
function expectShown(output: string, seen: string): void {
  if (!showsOutput(output, seen)) expect(withoutRunDetails(seen)).toBe(withoutRunDetails(output));
}

function shellBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text);
}

/** Runs a script in the checkout. On a machine without kubectl, what is piped into kubectl is not checked. */
async function runScript(script: string, kubeconfig: string) {
  const kubectl = chooseKubectl();
  const command = 'file' in kubectl ? `'${kubectl.file}' "$@"` : 'cat > /dev/null';
  const child = spawn('sh', ['-ec', `kubectl() { ${command}; }\n${script}`], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', HOME: homedir(), KUBECONFIG: kubeconfig, ...quietNpm },
  });
  const errors = text(child.stderr);
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  return { code, errors: await errors };
}
