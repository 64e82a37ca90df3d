import { readFileSync } from 'node:fs';
import path from 'node:path';

const guides = path.resolve(import.meta.dirname, '../../../../docs/guides');

/** A step of the guide. */
export type GuideStep =
  | { file: string; text: string }
  | {
      script: string;
      /** The script runs in a container of a pod; `background` while the following steps run. */
      where: 'shell' | 'container' | 'background';
      /** The output that the guide shows. */
      output?: string;
    };

export type GuideScript = Extract<GuideStep, { script: string }>;

/**
 * The code blocks of a guide in docs/guides, of one of its sections, or of the page at an absolute path, in order. A YAML
 * block begins with the name of its file. A block without a language is the output of the script before it; that of a
 * script in another terminal follows the scripts that it waits for.
 */
export function guideSteps(guide: string, section?: string): GuideStep[] {
  const steps: GuideStep[] = [];
  let open: GuideScript | undefined;
  const page = textOf(path.resolve(guides, guide), section);
  // The test of a page compares its JSON itself.
  for (const [, language = '', text = ''] of page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)) {
    if (language === 'yaml') steps.push({ file: fileName(guide, text), text });
    else if (language === 'sh') {
      const step: GuideScript = { script: text, where: whereOf(text) };
      steps.push(step);
      if (open?.where !== 'background') open = step;
    } else if (language === '' && open !== undefined) {
      open.output = text;
      open = undefined;
    } else if (language !== 'json')
      throw new Error(`${guide}: this block is neither a script nor a manifest nor an output:\n${text}`);
  }
  return steps;
}

function textOf(page: string, section: string | undefined): string {
  const text = readFileSync(page, 'utf8');
  if (section === undefined) return text;
  const found = text.split(/^## /m).find((part) => part.startsWith(`${section}\n`));
  if (found === undefined) throw new Error(`${page} has no section '${section}'`);
  return found;
}

function fileName(guide: string, text: string): string {
  const [, name] = /^# (\S+\.yaml)$/m.exec(text) ?? [];
  if (name === undefined) throw new Error(`${guide}: this manifest has no file name:\n${text}`);
  return name;
}

function whereOf(text: string): GuideScript['where'] {
  if (!text.startsWith('# in the container web')) return 'shell';
  return text.startsWith('# in the container web, in another terminal') ? 'background' : 'container';
}

/** Parts of an output that differ from run to run, and what they look like. */
const varying: [part: string, pattern: string][] = [
  // Times, UIDs and resource versions of objects.
  [String.raw`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`, String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`],
  [String.raw`\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`, '[0-9a-f-]{36}'],
  [String.raw`\bresourceVersion: "\d+"`, String.raw`resourceVersion: "\d+"`],
  // Numbers of indented JSON, and bytes in base64.
  [String.raw`(?<=": )\d+\b`, String.raw`\d+`],
  [String.raw`\b[A-Za-z0-9+/]{100,}=*`, '[A-Za-z0-9+/]{100,}=*'],
  // Pods, version objects and reports.
  [String.raw`-[a-z0-9]{8,10}-[a-z0-9]{5}\b`, '-[a-z0-9]+-[a-z0-9]{5}'],
  [String.raw`-[a-z2-7]{10}\b`, '-[a-z2-7]{10}'],
  // Ids of gateways and hooks.
  [String.raw`\b[0-9a-f]{10}\b`, '[0-9a-f]{10}'],
  [String.raw`\b[0-9a-f]{16}\b`, '[0-9a-f]{16}'],
  // Addresses, ages, and the width of columns.
  [String.raw`\b10\.244\.\d+\.\d+\b`, String.raw`[\d.]+`],
  [String.raw`\b\d+s$`, String.raw`(?:\d+m)?\d+s`],
  [' {2,}', ' +'],
];

/** A pattern for an output in the guide. */
export function outputPattern(output: string): RegExp {
  const parts = new RegExp(varying.map(([part]) => `(${part})`).join('|'), 'gm');
  let pattern = '';
  let end = 0;
  const text = output.trim();
  for (const match of text.matchAll(parts)) {
    const index = match.slice(1).findIndex((group) => group !== undefined);
    pattern += RegExp.escape(text.slice(end, match.index)) + varying[index]?.[1];
    end = match.index + match[0].length;
  }
  return new RegExp(`^${pattern}${RegExp.escape(text.slice(end))}$`);
}
