import { showsOutput } from './same-output.ts';

/** A command in a document, with the output that the document shows below it. */
export interface ShownCommand {
  command: string;
  output: string;
}

/** Blocks that begin with ```` ```console ````. */
const blocks = /(?<=^```console\n)(.*?)(?=^```$)/gms;

/** Returns the commands of the console blocks of a page, in order. A command begins with `$ `. */
export function consoleCommands(markdown: string): ShownCommand[] {
  return [...markdown.matchAll(blocks)].flatMap(([block]) => commandsIn(block));
}

/** Returns the commands of a terminal's text. */
export function commandsIn(text: string): ShownCommand[] {
  return text
    .split(/^\$(?: |$)/m)
    .slice(1)
    .map((part) => {
      const [command = ''] = part.split('\n', 1);
      return { command, output: part.slice(command.length + 1) };
    })
    .filter(({ command }) => command !== '');
}

/** Returns the page with the output of these commands, where it shows another one. */
export function withOutputs(markdown: string, ran: readonly ShownCommand[]): string {
  return markdown.replace(blocks, (block) =>
    commandsIn(block)
      .map(({ command, output }) => {
        const found = ran.find((each) => each.command === command)?.output ?? output;
        return `$ ${command}\n${showsOutput(output, found) ? output : found}`;
      })
      .join(''),
  );
}
