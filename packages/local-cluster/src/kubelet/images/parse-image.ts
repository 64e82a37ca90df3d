import { splitWords } from '@trimtab/kube/flags/words.ts';
import type { Image } from './catalogue.ts';

/** Parses `nginx=/usr/sbin/nginx -g 'daemon off;'`. The first word is the program; `args` replace the rest. */
export function parseImage(text: string): [name: string, image: Image] | { problem: string } {
  const [, name = '', program = ''] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(text) ?? [];
  const form = `NAME=PROGRAM ARGS, for example nginx='nginx -g "daemon off;"'`;
  if (name === '') return { problem: `'${text}' is not of the form ${form}` };
  const words = splitWords(program);
  if (words === undefined) return { problem: `'${text}' has an unclosed quote` };
  const [first, ...rest] = words;
  if (first === undefined || first === '') return { problem: `'${text}' has no program: use ${form}` };
  return [name, { entrypoint: [first], cmd: rest }];
}

/** Parses a file with one mapping per line; empty lines and lines that begin with # are skipped. */
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
