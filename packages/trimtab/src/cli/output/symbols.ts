import type { Health } from '../../view/rollout-headline.ts';
import type { Screen, Tone } from './screen.ts';

const symbols: Record<Health, { unicode: string; ascii: string; tone: Tone }> = {
  good: { unicode: '✔', ascii: '+', tone: 'good' },
  busy: { unicode: '⟳', ascii: '~', tone: 'busy' },
  bad: { unicode: '✖', ascii: 'x', tone: 'bad' },
  waiting: { unicode: '‖', ascii: '=', tone: 'faint' },
};

/** The characters that draw a tree. */
export interface Branches {
  middle: string;
  last: string;
  through: string;
  below: string;
}

/** `✔ healthy`: the words say the same as the symbol and the colour. */
export function withSymbol(screen: Screen, health: Health, words: string): string {
  const { unicode, ascii } = symbols[health];
  return `${screen.hasUnicode ? unicode : ascii} ${words}`;
}

export function toneOf(health: Health): Tone {
  return symbols[health].tone;
}

export function branchesOf({ hasUnicode }: Screen): Branches {
  return hasUnicode
    ? { middle: '├── ', last: '└── ', through: '│   ', below: '    ' }
    : { middle: '|-- ', last: '`-- ', through: '|   ', below: '    ' };
}
