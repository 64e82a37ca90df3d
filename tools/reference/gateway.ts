import { readFileSync } from 'node:fs';
import { needsText } from 'trimtab/core/installation/caller-needs.ts';
import { openApiDocument } from 'trimtab/gateway/openapi/openapi-document.ts';
import { errorMeanings, errorsOfAll, errorsOfBodies } from 'trimtab/gateway/openapi/schemas.ts';
import type { Route } from 'trimtab/gateway/route/route.ts';
import { documentedRoutes } from 'trimtab/gateway/routes.ts';

export function gatewayOpenApi(): string {
  return `${JSON.stringify(openApiDocument(documentedRoutes()), undefined, 2)}\n`;
}

/** The reference page: one section per path. The paths of Secrets equal those of ConfigMaps and are left out. */
export function gatewayReference(): string {
  const routes = documentedRoutes().filter(({ path }) => !path.includes('/secrets'));
  const paths = [...new Set(routes.map(({ path }) => path))];
  return `# The gateway's API

Generated from the routes in \`packages/trimtab/src/gateway\` by \`npm run generate\`. The gateway serves the same description as
OpenAPI 3.1 at \`/openapi/trimtab.json\`, see [gateway-openapi.json](gateway-openapi.json).

Every path with \`configmaps\` also exists with \`secrets\`. The gateway passes every other request to the API server unchanged.
All requests use the caller's credentials. Request bodies are JSON or YAML. Responses are JSON, or YAML with
\`Accept: application/yaml\`. Every error is a Kubernetes \`Status\`. The guide lists
[what a caller needs](../guides/gateway.md#what-a-caller-needs) for each call.

${paths.map((path) => section(path, routes)).join('\n')}
## Errors

Every request can return ${errorsOfAll.join(', ')}, and a request with a body also ${errorsOfBodies.join(', ')}.

| code | meaning |
|---|---|
${Object.entries(errorMeanings)
  .map(([code, meaning]) => `| ${code} | ${cell(meaning)} |`)
  .join('\n')}
`;
}

function section(path: string, routes: readonly Route[]): string {
  const own = routes.filter((route) => route.path === path);
  return `## \`${path}\`\n\n${own.map(operation).join('\n')}`;
}

const tableStart = '<!-- The rights of each call, written by npm run generate -->\n';
const tableEnd = '<!-- End of the rights -->\n';

/** The guide, with the table of rights as the routes need them. */
export function gatewayGuide(): string {
  const guide = readFileSync(new URL('../../docs/guides/gateway.md', import.meta.url), 'utf8');
  const [before, rest = ''] = guide.split(tableStart);
  const [, after] = rest.split(tableEnd);
  if (before === undefined || after === undefined)
    throw new Error(`docs/guides/gateway.md lacks the lines around the table of rights: ${tableStart}`);
  return `${before}${tableStart}\n${rightsTable()}\n${tableEnd}${after}`;
}

/** One row for all calls that need the same. */
function rightsTable(): string {
  const rows = documentedRoutes().flatMap(({ method, path, document: { rights } }) => {
    // The alias below /api/version needs the same.
    if (rights === undefined || path.includes('/secrets') || path.startsWith('/api/version')) return [];
    const call = `\`${method} ${path.replace(/^.*namespaces\/\{namespace\}/, '…')}\``;
    const roles = rights.grantedBy.map((role) => `\`${role}\``).join(', ');
    return [{ call, cells: `${cell(needsText(rights.needs))} | ${roles}` }];
  });
  const lines = [...Map.groupBy(rows, ({ cells }) => cells)].map(
    ([cells, its]) => `| ${its.map(({ call }) => call).join(', ')} | ${cells} |\n`,
  );
  return `| call | needs | ClusterRole |\n|---|---|---|\n${lines.join('')}`;
}

function operation({ method, document }: Route): string {
  const { summary, query = {}, body, answers } = document;
  const parameters = Object.entries(query).map(
    ([name, { description }]) => `| \`?${name}\` | ${cell(description)} |`,
  );
  const sent = body ? [`| body | ${cell(body.description)} |`] : [];
  const all = Object.entries(answers);
  const isUsual = ([code, { description }]: (typeof all)[number]) =>
    errorMeanings[Number(code)] === description;
  const results = all
    .filter((answer) => !isUsual(answer))
    .map(([code, { description }]) => `| ${code} | ${cell(description)} |`);
  const codes = all.filter(isUsual).map(([code]) => code);
  if (codes.length > 0) results.push(`| ${codes.join(', ')} | see [errors](#errors) |`);
  return `**${method}** ${summary}\n\n| | |\n|---|---|\n${[...parameters, ...sent, ...results].join('\n')}\n`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
