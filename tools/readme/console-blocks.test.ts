import { expect, test } from 'vitest';
import { consoleCommands, withOutputs } from './console-blocks.ts';

const page = `# Title

\`\`\`console
$ npx trimtab status demo
NAME   VERSION
demo   1.0.0
$ npx trimtab rollback demo
\`\`\`

\`\`\`sh
npm start
\`\`\`

\`\`\`console
$ true
\`\`\`
`;

test('the commands of a page and the output that it shows', () => {
  expect(consoleCommands(page)).toEqual([
    { command: 'npx trimtab status demo', output: 'NAME   VERSION\ndemo   1.0.0\n' },
    { command: 'npx trimtab rollback demo', output: '' },
    { command: 'true', output: '' },
  ]);
});

test('a page gets the output of a run', () => {
  const changed = withOutputs(page, [
    { command: 'npx trimtab status demo', output: 'NAME   VERSION\ndemo   1.0.1\n' },
    { command: 'npx trimtab rollback demo', output: 'costs $& and $1\n' },
  ]);
  expect(changed).toBe(
    page
      .replace('demo   1.0.0', 'demo   1.0.1')
      .replace('rollback demo\n', () => 'rollback demo\ncosts $& and $1\n'),
  );
});
