/** The value of an `Authorization` header for a name and password (RFC 7617, in UTF-8). */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}
