import { type RawHeaders, withoutHopByHop } from './hop-by-hop.ts';

/** Headers of the response to the client. CORS headers are removed: no page of another origin may read responses. */
export function responseHeaders(raw: RawHeaders): string[] {
  return withoutHopByHop(raw).flatMap((pair) =>
    pair[0].toLowerCase().startsWith('access-control-') ? [] : pair,
  );
}

/** The head of a response as text, for a socket that Node's HTTP server has detached. */
export function headText(code: number, message: string, headers: RawHeaders): string {
  let text = `HTTP/1.1 ${code} ${message}\r\n`;
  for (let index = 0; index + 1 < headers.length; index += 2)
    text += `${headers[index]}: ${headers[index + 1]}\r\n`;
  return `${text}\r\n`;
}
