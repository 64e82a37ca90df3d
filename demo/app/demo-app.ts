import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type DemoConfig, demoPort, parseDemoConfig } from './demo-config.ts';
import { demoPage } from './demo-page.ts';
import { observeFleet } from './observe-fleet.ts';

/**
 * The program of the image `trimtab/demo`: a web app that exits when its configuration is invalid. Its page shows all
 * pods of the demo. The app does not depend on Trimtab: it reads its configuration from the files of a volume.
 */
const root = process.env['POD_ROOT'] ?? '';
const port = Number(process.env['PORT'] ?? demoPort);
const host = process.env['POD_IP'] ?? '0.0.0.0';
const everyMs = 400;

const self = { pod: process.env['POD_NAME'] ?? '', ...configOrExit() };
const watchers = new Set<ServerResponse>();
let shown = '';
let looking: NodeJS.Timeout | undefined;

function configOrExit(): DemoConfig {
  try {
    const folder = `${root}/etc/demo`;
    const keys = readdirSync(folder).filter((name) => !name.startsWith('.'));
    return parseDemoConfig(
      Object.fromEntries(keys.map((key) => [key, readFileSync(join(folder, key), 'utf8')])),
    );
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  }
}

async function look(): Promise<void> {
  const fleet = await observeFleet(root).catch((error: unknown) => ({ problem: String(error) }));
  const text = JSON.stringify(fleet);
  if (text !== shown) for (const watcher of watchers) watcher.write(`data: ${text}\n\n`);
  shown = text;
  looking = watchers.size > 0 ? setTimeout(() => void look(), everyMs) : undefined;
}

const server = createServer((request, response) => {
  switch (request.url) {
    case '/':
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(demoPage);
      break;
    case '/self':
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(self));
      break;
    case '/healthz':
      response.writeHead(200, { 'content-type': 'text/plain' }).end('ok\n');
      break;
    case '/events':
      // The stream ends with the pod. The browser then reconnects and reaches another pod of the Service.
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.write(`retry: 300\n\n${shown === '' ? '' : `data: ${shown}\n\n`}`);
      watchers.add(response);
      response.on('close', () => watchers.delete(response));
      if (looking === undefined) looking = setTimeout(() => void look(), 0);
      break;
    default:
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
  }
});

server.listen(port, host, () => {
  process.stdout.write(`${self.pod} listens on ${host}:${port}: ${self.greeting} in ${self.colour}\n`);
});

process.on('SIGTERM', () => {
  clearTimeout(looking);
  watchers.clear();
  server.close(() => process.exit(0));
  server.closeAllConnections();
});
