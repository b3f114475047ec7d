/** User name and password; absent parts are sent as empty. */
export interface RemoteCredentials {
  username?: string
  password?: string
  /** Windows domain, for NTLM and `DOMAIN\user` names. */
  domain?: string
}
