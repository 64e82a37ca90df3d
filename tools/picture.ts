import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir, hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { toolArguments } from '@trimtab/test-bed/tool-arguments.ts';
import { UpProcess } from '../demo/test/up-process.ts';
import { finalText } from './picture/final-text.ts';
import { retime } from './picture/recording.ts';
import { renderSvg } from './picture/render-svg.ts';
import { playRecording } from './picture/screen-timeline.ts';
import { commandsIn, consoleCommands, withOutputs } from './readme/console-blocks.ts';
import { runInShell } from './readme/run-readme.ts';

const help = `Usage: npm run picture

Draws docs/images/trimtab.svg, the animated terminal of the README, and writes the output of the commands into README.md. It starts
the demo with a temporary state folder, types the commands of the README into a shell, records the output, and renders the
recording. It takes about a minute.

  -h, --help  print this text
`;

toolArguments({ help });
const root = path.dirname(import.meta.dirname);
const [page, picture] = [path.join(root, 'README.md'), path.join(root, 'docs/images/trimtab.svg')];
const timing = { idleMs: 400, togetherMs: 20 };

await using up = await UpProcess.inFolder();
await up.start();
await up.prints('demo 1.0.0: current');
const readme = readFileSync(page, 'utf8');
const commands = consoleCommands(readme)
  .map(({ command }) => command)
  .filter((command) => command !== 'npm start');
const recording = await runInShell(up, commands, {
  typingMs: 20,
  holdMs: (command) => (command === commands.at(-1) ? 4000 : command.startsWith('export ') ? 200 : 1300),
});
const timeline = await playRecording(retime(recording, timing));
const description = `A terminal in which these commands run: ${commands.join('; ')}`;
const svg = renderSvg(timeline, { title: 'trimtab', description });
write(picture, svg);
write(page, withOutputs(readme, commandsIn(finalText(timeline))));
process.stdout.write(
  `the picture: ${Math.round(timeline.endMs / 1000)} s, ${Math.round(svg.length / 1000)} kB\n`,
);

function write(file: string, text: string): void {
  // Paths of the machine that drew the picture must not be published.
  const found = [root, homedir(), tmpdir(), hostname()].find((each) => text.includes(each));
  if (found !== undefined) throw new Error(`the output of a command contains ${found}`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  process.stdout.write(`wrote ${path.relative(root, file)}\n`);
}
