/** Origin of messages, as shown in them. */
export interface ServerIdentity {
  /** Host name of the server. */
  host: string
  /** Address of the base path, without a slash behind. */
  baseUrl: string
}

/** Returns the URL of a check's configuration. */
export function configUrl({ baseUrl }: ServerIdentity, checkId: number): string {
  return `${baseUrl}/monitoring/api/notifications/config/${checkId}/`
}

/** Returns the URL of all current problems. */
export function statusUrl({ baseUrl }: ServerIdentity): string {
  return `${baseUrl}/monitoring/api/status/`
}
