/**
 * Members of `node:http` that are used. An import of the module would evaluate all its exports, the WebSocket
 * client among them, which takes longer than most commands.
 */
export const { Agent: HttpAgent, request: httpRequest, STATUS_CODES } = process.getBuiltinModule('node:http')

/** The value of an `Authorization` header for a name and password (RFC 7617, in UTF-8). */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}
