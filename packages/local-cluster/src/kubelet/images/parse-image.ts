import type { Image } from './catalogue.ts';

/** `nginx=/usr/sbin/nginx -g 'daemon off;'`: the first word is the program, the rest what `args` replaces. */
export function parseImage(text: string): [name: string, image: Image] | { problem: string } {
  const [, name = '', program = ''] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(text) ?? [];
  const help = `write NAME=PROGRAM ARGS, as nginx='nginx -g "daemon off;"'`;
  if (name === '') return { problem: `'${text}' names no image: ${help}` };
  const words = splitWords(program);
  if (words === undefined) return { problem: `a quote in '${text}' is not closed` };
  const [first, ...rest] = words;
  if (first === undefined || first === '') return { problem: `'${text}' names no program: ${help}` };
  return [name, { entrypoint: [first], cmd: rest }];
}

/** A file with one such line for each image; empty lines and those with # are skipped. */
export function parseImageFile(text: string): { images: [string, Image][]; problems: string[] } {
  const images: [string, Image][] = [];
  const problems: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const parsed = parseImage(line);
    if ('problem' in parsed) problems.push(`line ${index + 1}: ${parsed.problem}`);
    else images.push(parsed);
  }
  return { images, problems };
}

/** Words as a shell splits them, with quotes and backslashes but nothing else; undefined when a quote stays open. */
function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  const pattern = /\s+|"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^\s"'\\]+)|(.)/gsy;
  let word: string | undefined;
  for (const [all, double, single, escaped, plain, open] of text.matchAll(pattern)) {
    if (open !== undefined) return undefined;
    const piece = double?.replace(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? plain;
    if (piece !== undefined) word = (word ?? '') + piece;
    else if (all.trim() === '' && word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}
