import { type DestinationStream, destination, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';
import { redactFields, serializeError } from './log-redaction.ts';

/**
 * Call it with key-values first and a constant message: `log.info({ object: ref }, 'lease acquired')`. Kubernetes
 * objects go under `object` (or `objects`), an error under `err`. Values of objects never reach the output, see
 * log-redaction.ts.
 */
export type Logger = PinoLogger;

export interface LoggerOptions {
  program: string;
  /** One of pino's: trace, debug, info, warn, error, fatal, silent. */
  level: string;
  /** Standard error unless told: standard output belongs to what a program prints for its user. */
  destination?: DestinationStream;
}

export function createLogger(options: LoggerOptions): Logger {
  const logger: Logger = pino(
    {
      level: options.level,
      base: { program: options.program },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // Errors are plain fields by the time pino sees them; its own serializer would add to them.
      serializers: { err: (fields: unknown) => fields },
      hooks: {
        logMethod(args: unknown[], write) {
          const [first, second] = args;
          // Arguments for %s and %o are dropped: the message is a constant, and they would evade redaction.
          if (typeof first === 'string') return write.call(this, first);
          const fields = first instanceof Error ? { err: serializeError(first, withStack) } : redact(first);
          return typeof second === 'string' ? write.call(this, fields, second) : write.call(this, fields);
        },
      },
    },
    options.destination ?? destination(2),
  );
  const withStack = () => logger.isLevelEnabled('debug');
  const redact = (fields: unknown) => redactFields(fields, withStack);
  redactBindings(logger, redact);
  return logger;
}

/** Bindings of a child logger pass none of pino's hooks, so they are redacted on their way in. */
function redactBindings(logger: Logger, redact: (fields: unknown) => Record<string, unknown>): void {
  const { child, setBindings } = logger;
  Object.defineProperties(logger, {
    child: {
      value(this: Logger, bindings: unknown, ...rest: [options?: Parameters<Logger['child']>[1]]) {
        return child.call(this, redact(bindings), ...rest);
      },
    },
    setBindings: {
      value(this: Logger, bindings: unknown) {
        setBindings.call(this, redact(bindings));
      },
    },
  });
}
