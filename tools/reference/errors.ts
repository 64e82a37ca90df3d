import { errorRegistry } from '../../src/api/errors.ts';

export function errorReference(): string {
  const rows = Object.entries(errorRegistry).map(
    ([code, entry]) => `| \`${code}\` | ${entry.meaning} | ${entry.remedy} | ${entry.exitCode} |`,
  );
  return `# Errors

Generated from \`src/api/errors.ts\` by \`npm run generate\`.

| code | what it means | what to do | exit code |
|---|---|---|---|
${rows.join('\n')}
`;
}
