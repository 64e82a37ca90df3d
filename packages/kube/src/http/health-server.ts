import { metricsContentType, type Registry } from '../metrics/metrics.ts';
import type { CheckResult, HealthChecks } from './health-checks.ts';
import { type HttpServer, type HttpServerOptions, startHttpServer } from './http-server.ts';

/** A kubelet and a few Prometheus servers need far fewer. Whoever reaches the port could otherwise use any amount of memory. */
const connectionLimits = { maxConnections: 256, maxConnectionsPerAddress: 64 };

export interface HealthServerOptions extends Omit<HttpServerOptions, 'name' | 'handler'> {
  checks: HealthChecks;
  registry: Registry;
}

/** Serves /livez (and /healthz, its deprecated name) and /readyz, all with `?verbose`, and /metrics. */
export function startHealthServer(options: HealthServerOptions): Promise<HttpServer> {
  const { checks, registry, ...server } = options;
  return startHttpServer({
    connectionLimits,
    ...server,
    name: 'health',
    async handler(request, response) {
      const { status, text, headers } = await answer(checks, registry, request.method, request.url);
      response
        .writeHead(status, {
          'content-type': 'text/plain; charset=utf-8',
          'content-length': Buffer.byteLength(text),
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          ...headers,
        })
        .end(text);
    },
  });
}

interface Answer {
  status: number;
  text: string;
  headers?: Record<string, string>;
}

async function answer(checks: HealthChecks, registry: Registry, method = '', url = ''): Promise<Answer> {
  const [path = '', query = ''] = url.split('?');
  if (method !== 'GET' && method !== 'HEAD') {
    return { status: 405, text: 'method not allowed: use GET or HEAD\n', headers: { allow: 'GET, HEAD' } };
  }
  switch (path) {
    case '/metrics':
      return { status: 200, text: registry.render(), headers: { 'content-type': metricsContentType } };
    case '/livez':
    case '/healthz':
      return verdict(path.slice(1), await checks.run('live'), query);
    case '/readyz':
      return verdict(path.slice(1), await checks.run('ready'), query);
    default:
      return { status: 404, text: 'not found: available paths are /livez, /readyz and /metrics\n' };
  }
}

/** Same format as kube-apiserver: lists the checks when one failed or `verbose` is set. */
function verdict(name: string, results: CheckResult[], query: string): Answer {
  const failed = results.some(({ problem }) => problem !== undefined);
  if (!failed && !new URLSearchParams(query).has('verbose')) return { status: 200, text: 'ok' };
  const lines = results.map(({ name: check, problem }) =>
    problem === undefined ? `[+]${check} ok` : `[-]${check} failed: ${problem}`,
  );
  const text = `${lines.join('\n')}\n${name} check ${failed ? 'failed' : 'passed'}\n`;
  return { status: failed ? 503 : 200, text };
}
