import type { LogOptions } from './container-access.ts';

/** The options of a request for logs, which the API server has checked before. */
export function logOptions(query: URLSearchParams, now: number): LogOptions {
  const number = (name: string) => {
    const text = query.get(name);
    return text === null || text === '' ? undefined : Number(text);
  };
  const is = (name: string) => query.has(name) && !['false', '0'].includes(query.get(name) ?? '');
  const sinceSeconds = number('sinceSeconds');
  const sinceTime = query.get('sinceTime');
  const since = sinceSeconds !== undefined ? now - sinceSeconds * 1000 : Date.parse(sinceTime ?? '');
  const [tailLines, limitBytes] = [number('tailLines'), number('limitBytes')];
  return {
    follow: is('follow'),
    previous: is('previous'),
    timestamps: is('timestamps'),
    ...(tailLines !== undefined && { tailLines }),
    ...(!Number.isNaN(since) && { since }),
    ...(limitBytes !== undefined && { limitBytes }),
  };
}
