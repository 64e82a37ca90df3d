#!/usr/bin/env node
// `npx trimtab` in a checkout: runs the sources on the pinned Node.
process.argv.splice(2, 0, '--production', 'packages/trimtab/src/bin/trimtab.ts');
await import('../../../tools/bootstrap.mjs');
