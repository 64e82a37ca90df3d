import type { LineState, Run, ScreenTimeline } from './screen-timeline.ts';

/** Sizes in pixels. */
const cell = { width: 8.4, height: 19 };
const fontSize = 14;
const padding = 16;
const titleBar = 34;

const theme = {
  background: '#0d1117',
  border: '#30363d',
  text: '#d6dce4',
  title: '#8b949e',
  buttons: ['#ff5f57', '#febc2e', '#28c840'],
  palette: [
    ...['#6e7681', '#ff7b72', '#3fb950', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#d6dce4'],
    ...['#8b949e', '#ffa198', '#56d364', '#f2cc60', '#a5d6ff', '#e2c5ff', '#7ee0e8', '#f0f6fc'],
  ],
};

export interface PictureText {
  /** In the title bar of the terminal. */
  title: string;
  /** For readers who do not see the picture. */
  description: string;
}

/**
 * Renders a terminal as an animated SVG that plays in an `<img>`: styles only, no scripts and no fonts from elsewhere. Readers
 * who prefer reduced motion see the last screen.
 */
export function renderSvg(timeline: ScreenTimeline, { title, description }: PictureText): string {
  const screen = { width: round(timeline.columns * cell.width), height: timeline.rows * cell.height };
  const width = Math.ceil(screen.width + 2 * padding);
  const height = titleBar + screen.height + padding;
  const animation = new Animation(timeline.endMs);
  const body = [
    `<svg x="${padding}" y="${titleBar}" width="${screen.width}" height="${screen.height}" aria-hidden="true">`,
    `<g${scroll(timeline, animation)}>`,
    cursor(timeline, animation),
    ...lineGroups(timeline, animation),
    '</g>',
    '</svg>',
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description" xml:space="preserve">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="description">${escaped(description)}</desc>`,
    `<style>${styles()}${animation.styles()}</style>`,
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="${theme.background}" stroke="${theme.border}"/>`,
    ...theme.buttons.map((fill, index) => `<circle cx="${20 + index * 20}" cy="18" r="6" fill="${fill}"/>`),
    `<text class="title" x="${width / 2}" y="23">${escaped(title)}</text>`,
    ...body,
    '</svg>',
    '',
  ].join('\n');
}

/** Collects keyframes. Elements that change at the same times share them. */
class Animation {
  readonly #endMs: number;
  readonly #names = new Map<string, string>();

  constructor(endMs: number) {
    this.#endMs = endMs;
  }

  /** The name of the keyframes with these declarations, each of which holds until the next. */
  name(steps: readonly { atMs: number; css: string }[]): string {
    const frames = steps.map(({ atMs, css }) => `${this.#percent(atMs)}{${css}}`).join('');
    const known = this.#names.get(frames) ?? `k${this.#names.size}`;
    this.#names.set(frames, known);
    return known;
  }

  styles(): string {
    const keyframes = [...this.#names].map(([frames, name]) => `@keyframes ${name}{${frames}}`);
    const rule = `.a{animation:${round(this.#endMs / 1000)}s step-end infinite}`;
    return `@media (prefers-reduced-motion:no-preference){${[rule, ...keyframes].join('\n')}}`;
  }

  #percent(atMs: number): string {
    return `${round((atMs / this.#endMs) * 100)}%`;
  }
}

function styles(): string {
  return [
    `text{font:${fontSize}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;white-space:pre;fill:${theme.text}}`,
    `.title{text-anchor:middle;fill:${theme.title};font-size:12px}`,
    '.h{visibility:hidden}.b{font-weight:700}.f{opacity:.6}',
    ...theme.palette.map((fill, index) => `.c${index}{fill:${fill}}`),
  ].join('');
}

function scroll({ tops }: ScreenTimeline, animation: Animation): string {
  const css = (top: number) => `transform:translateY(${-top * cell.height}px)`;
  const last = tops.at(-1)?.top ?? 0;
  const steps = tops.map(({ atMs, top }) => ({ atMs, css: css(top) }));
  return steps.length < 2 ? '' : animated(animation.name(steps), '', css(last));
}

function cursor({ cursors }: ScreenTimeline, animation: Animation): string {
  const css = ({ line, column, isShown }: { line: number; column: number; isShown: boolean }) =>
    `transform:translate(${round(column * cell.width)}px,${line * cell.height}px);opacity:${isShown ? 0.7 : 0}`;
  const last = cursors.at(-1);
  if (last === undefined) return '';
  const name = animation.name(cursors.map((each) => ({ atMs: each.atMs, css: css(each) })));
  return `<rect${animated(name, '', css(last))} y="2" width="${cell.width}" height="${cell.height - 3}" fill="${theme.text}"/>`;
}

/** Lines that appear and disappear at the same times are one group. */
function lineGroups({ lines }: ScreenTimeline, animation: Animation): string[] {
  const groups = Map.groupBy(lines, ({ fromMs, toMs }) => `${fromMs} ${toMs}`);
  return [...groups.values()].flatMap((group) => {
    const [{ fromMs, toMs } = { fromMs: 0, toMs: undefined }] = group;
    const content = group.flatMap(textsOf);
    if (fromMs === 0 && toMs === undefined) return content;
    const steps = [
      ...(fromMs === 0 ? [] : [{ atMs: 0, css: 'visibility:hidden' }]),
      { atMs: fromMs, css: 'visibility:visible' },
      ...(toMs === undefined ? [] : [{ atMs: toMs, css: 'visibility:hidden' }]),
    ];
    return [`<g${animated(animation.name(steps), toMs === undefined ? '' : ' h')}>`, ...content, '</g>'];
  });
}

function animated(name: string, classes: string, css = ''): string {
  return ` class="a${classes}" style="animation-name:${name}${css && `;${css}`}"`;
}

function textsOf({ line, runs }: LineState): string[] {
  const y = line * cell.height + fontSize;
  return runs.flatMap(splitSymbols).map((run) => {
    const { column, text, colour, bold, faint } = run;
    const classes = [colour !== undefined && `c${colour}`, bold && 'b', faint && 'f'].filter(Boolean);
    const style = classes.length === 0 ? '' : ` class="${classes.join(' ')}"`;
    const width = round([...text].length * cell.width);
    // The width is given, because the monospace fonts of readers differ in theirs.
    return `<text${style} x="${round(column * cell.width)}" y="${y}" textLength="${width}">${escaped(text)}</text>`;
  });
}

/** A symbol may come from another font with another width, which must not move the text behind it. */
function splitSymbols(run: Run): Run[] {
  let { column } = run;
  return run.text.split(/([^\p{ASCII}\u2500-\u257f\u2026]+ *)/u).flatMap((text) => {
    const part = { ...run, column, text: text.trimEnd() };
    column += [...text].length;
    return part.text === '' ? [] : [part];
  });
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
