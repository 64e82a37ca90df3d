import { expect, test } from 'vitest';
import { retime } from './recording.ts';
import { renderSvg } from './render-svg.ts';
import { playRecording } from './screen-timeline.ts';

const recording = {
  columns: 40,
  rows: 4,
  events: [
    { atMs: 100, text: '$ ' },
    { atMs: 200, text: 'status <demo> & "co"\r\n', holdMs: 1000 },
    { atMs: 300, text: '\x1b[?25ldemo \x1b[33mrolling out\x1b[0m\r\n├─ \x1b[36mweb\x1b[0m  1/3\r\n' },
    { atMs: 5300, text: '\x1b[2A\x1b[Jdemo \x1b[32m✔ current\x1b[0m\r\n├─ \x1b[36mweb\x1b[0m  3/3\r\n' },
    { atMs: 5400, text: '\x1b[?25h\x1b[1mbold\x1b[0m \x1b[2mfaint\x1b[0m\r\n$ ', holdMs: 2000 },
  ],
};

const render = async () =>
  renderSvg(await playRecording(retime(recording, { idleMs: 1000, togetherMs: 30 })), {
    title: 'trimtab',
    description: 'A rollout.',
  });

test('the same recording gives the same picture', async () => {
  await expect(await render()).toMatchFileSnapshot('golden.svg');
});

test('the picture plays in an <img>: no scripts, nothing from elsewhere', async () => {
  const svg = await render();
  expect(svg).not.toMatch(/<script|<foreignObject|href=|url\(|@import/);
  expect(svg.match(/https?:\/\/[^"]+/g)).toEqual(['http://www.w3.org/2000/svg']);
});

test('readers who prefer reduced motion see the last screen', async () => {
  const still = (await render()).replace(/@media.*?(?=<\/style>)/s, '');
  expect(still).not.toContain('@keyframes');
  // Line 2 is the first visible one at the end.
  expect(still).toContain('transform:translateY(-19px)');
  const hidden = [...still.matchAll(/<g class="a h"[^>]*>(.*?)<\/g>/gs)].map(([, text]) => text).join('');
  expect(hidden).toContain('rolling out');
  expect(hidden).not.toContain('current');
});
