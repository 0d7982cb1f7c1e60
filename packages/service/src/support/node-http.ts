/** Node's HTTP server: an import of `node:http` would load the browser's client too, which costs a tenth of a start. */

export const { createServer, STATUS_CODES, validateHeaderValue } = process.getBuiltinModule('node:http');
