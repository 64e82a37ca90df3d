import { type RawHeaders, withoutHopByHop } from './hop-by-hop.ts';

/** Headers of an answer on its way to the client. No page of another origin may read what comes from here. */
export function responseHeaders(raw: RawHeaders): string[] {
  return withoutHopByHop(raw).flatMap((pair) =>
    pair[0].toLowerCase().startsWith('access-control-') ? [] : pair,
  );
}

/** The head of an answer that is written by hand, to a connection that HTTP has let go of. */
export function headText(code: number, message: string, headers: RawHeaders): string {
  let text = `HTTP/1.1 ${code} ${message}\r\n`;
  for (let index = 0; index + 1 < headers.length; index += 2)
    text += `${headers[index]}: ${headers[index + 1]}\r\n`;
  return `${text}\r\n`;
}
