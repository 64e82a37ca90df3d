import { readFileSync } from 'node:fs';
import path from 'node:path';

const guide = path.resolve(import.meta.dirname, '../../../../../docs/guides/reload-an-app.md');

/** The manifest of the guide that begins with the comment `# NAME`. */
export function guideManifest(name: string): string {
  const blocks = readFileSync(guide, 'utf8').matchAll(/^```yaml\n# (\S+)\n([\s\S]*?)^```$/gm);
  for (const [, title, text] of blocks) if (title === name && text !== undefined) return text;
  throw new Error(`${guide} has no manifest '${name}'`);
}
