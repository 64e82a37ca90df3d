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
\`Accept: application/yaml\`. Every error is a Kubernetes \`Status\`.

${paths.map((path) => section(path, routes)).join('\n')}
## Rights

What the caller needs in the namespace of the config; with \`secrets\` in the path, on \`secrets\`. A 403 names the missing right and
the ClusterRoles that grant all of them; for Secrets, these are \`trimtab-secret-reader\` and \`trimtab-secret-releaser\` in place of
\`trimtab-reader\` and \`trimtab-releaser\`. Pods need no rights.

| call | needs | ClusterRole |
|---|---|---|
${routes.flatMap(rightsOf).join('\n')}

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

function rightsOf({ method, path, document: { rights } }: Route): string[] {
  if (rights === undefined) return [];
  const call = `${method} ${path.replace(/^.*namespaces\/\{namespace\}/, '…')}`;
  // An alias has the same last part.
  if (path.startsWith('/api/version')) return [];
  const roles = rights.grantedBy.map((role) => `\`${role}\``).join(', ');
  return [`| \`${call}\` | ${cell(needsText(rights.needs))} | ${roles} |`];
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
