/** What is wrong with bytes that are no request, as the response describes it. */
export interface ProtocolError {
  code: number;
  message: string;
  /** Headers that the code requires. */
  headers?: Readonly<Record<string, string>>;
}

/** The body of a response that describes a ProtocolError. */
export interface ErrorBody {
  contentType: string;
  text: string;
}

/**
 * Converts an error of Node's HTTP parser. Undefined for an error of the connection, which nobody can be told. The
 * message contains no bytes of the client.
 */
export function protocolErrorOf(
  error: Error,
  { maxHeaderBytes }: { maxHeaderBytes: number },
): ProtocolError | undefined {
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'HPE_HEADER_OVERFLOW')
    return {
      code: 431,
      message: `the request has too many headers, or its request line and headers exceed ${maxHeaderBytes} bytes`,
    };
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return { code: 413, message: 'the extensions of the chunks of the body are too large' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { code: 408, message: 'the request was not complete in time' };
  return /^HPE_[A-Z0-9_]+$/.test(code)
    ? { code: 400, message: `the request is not valid HTTP/1.1 (${code})` }
    : undefined;
}

export const missingHost: ProtocolError = { code: 400, message: 'the request has no Host header' };

export const unknownExpectation: ProtocolError = {
  code: 417,
  message: 'the only supported value of the Expect header is 100-continue',
};

/** Node has handed the connection over by then, and hands no other method over. */
export const noTunnels: ProtocolError = {
  code: 405,
  message: 'the method CONNECT is not supported: this server is not a proxy for other servers',
  headers: { allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' },
};

export function plainText({ message }: ProtocolError): ErrorBody {
  return { contentType: 'text/plain; charset=utf-8', text: `${message}\n` };
}
