import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.dirname(import.meta.dirname);
const pages = globSync(['*.md', '{docs,packages,demo,bench,tools}/**/*.md'], {
  cwd: root,
  exclude: ['**/node_modules/**'],
});

/** Returns the targets of relative links such as `[text](../docs/adr/0001.md#part)`, relative to the root. */
function linksIn(page: string, text: string): string[] {
  return [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].flatMap(([, to = '']) =>
    /^[a-z]+:/.test(to) ? [] : [path.join(path.dirname(page), to)],
  );
}

/** Returns paths in code spans, such as `` `packages/kube/src/watch` ``. Patterns are ignored. */
function pathsIn(text: string): string[] {
  return [...text.matchAll(/`((?:packages|demo|docs|tools|bench|deploy)\/[\w./-]+)`/g)].map(
    ([, named = '']) => named,
  );
}

test.each(pages)('%s: every link and every path leads somewhere', (page) => {
  const text = readFileSync(path.join(root, page), 'utf8');
  const dead = [...linksIn(page, text), ...pathsIn(text)].filter((to) => !existsSync(path.join(root, to)));
  expect(dead).toEqual([]);
});
