/**
 * The used members of `node:http`. Importing the module would evaluate all its exports, including the
 * WebSocket client, which takes longer than most commands.
 */
export const { Agent: HttpAgent, request: httpRequest, STATUS_CODES } = process.getBuiltinModule('node:http')

/** Returns the `Authorization` header for a name and password (RFC 7617, in UTF-8). */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}
