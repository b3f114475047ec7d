/** Where messages come from, as they say it. */
export interface Place {
  /** Host name of the server. */
  host: string
  /** Address of the base path, without a slash behind. */
  baseUrl: string
}

/** Where the configuration of a check is read and changed. */
export function configUrl({ baseUrl }: Place, checkId: number): string {
  return `${baseUrl}/monitoring/api/notifications/config/${checkId}/`
}

/** Where all problems of this moment are told. */
export function statusUrl({ baseUrl }: Place): string {
  return `${baseUrl}/monitoring/api/status/`
}
