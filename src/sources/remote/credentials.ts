/** Who asks; absent parts are sent as nothing. */
export interface RemoteCredentials {
  username?: string
  password?: string
  /** Windows domain, for NTLM and `DOMAIN\user` names. */
  domain?: string
}
