import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Stops reading from the connection while the body of a request is not read. Node does so itself. Bun would keep any
 * amount of it in memory.
 */
export function boundBuffer(request: IncomingMessage, response: ServerResponse): void {
  if (process.versions['bun'] === undefined) return;
  const { socket } = request;
  const push = request.push.bind(request);
  const read = request._read.bind(request);
  const resume = () => {
    if (socket.isPaused()) socket.resume();
  };
  request.push = (chunk, encoding) => {
    const wantsMore = push(chunk, encoding);
    if (!wantsMore && chunk !== null) socket.pause();
    return wantsMore;
  };
  request._read = (size) => {
    resume();
    read(size);
  };
  // A stream that has all of its data is not read again, and the connection has to notice when its client leaves.
  request.once('end', resume);
  response.once('close', resume);
}
