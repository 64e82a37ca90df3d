import { errors } from '@trimtab/kube/errors.ts';
import { storeUnusable } from '@trimtab/local-cluster/errors.ts';

export function errorReference(): string {
  const rows = [...Object.values(errors), storeUnusable].map(
    ({ code, meaning, remedy, exitCode }) => `| \`${code}\` | ${meaning} | ${remedy} | ${exitCode} |`,
  );
  return `# Errors

Generated from \`errors.ts\` of the packages \`kube\` and \`local-cluster\` by \`npm run generate\`.

| code | meaning | what to do | exit code |
|---|---|---|---|
${rows.join('\n')}
`;
}
