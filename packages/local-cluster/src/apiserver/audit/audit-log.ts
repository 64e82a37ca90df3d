import { closeSync, openSync, writeSync } from 'node:fs';
import type { AuditEvent } from './audit-event.ts';

export interface AuditLog {
  write(event: AuditEvent): void;
  close(): void;
}

/** Appends audit events to a file, one JSON document per line. */
export function auditLogTo(file: string): AuditLog {
  const descriptor = openSync(file, 'a', 0o600);
  let isOpen = true;
  return {
    write(event) {
      if (isOpen) writeSync(descriptor, `${JSON.stringify(event)}\n`);
    },
    close() {
      isOpen = false;
      closeSync(descriptor);
    },
  };
}
