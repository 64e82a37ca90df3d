import type { Screen } from 'trimtab/cli/output/screen.ts';
import { toneOf } from 'trimtab/cli/output/symbols.ts';
import type { Health } from 'trimtab/view/rollout-headline.ts';

/** Colours a line such as `default demo 1.0.1: rolling out`: the config stands out, and the rest shows how it is doing. */
export function colouredLine(line: string, screen: Screen, health?: Health): string {
  const end = line.indexOf(': ');
  if (end === -1) return line;
  const [subject, rest] = [line.slice(0, end), line.slice(end + 2)];
  return `${screen.colour('bold', subject)}: ${health === undefined ? rest : screen.colour(toneOf(health), rest)}`;
}
