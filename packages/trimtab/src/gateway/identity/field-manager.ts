/** The name of the gateway in `managedFields` of objects that it writes with the rights of a caller. */
export const fieldManager = 'trimtab-gateway';
