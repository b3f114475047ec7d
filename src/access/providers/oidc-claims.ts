import type { OidcSettings } from '../../core/config/access-settings.ts'
import type { ProviderAccount } from './account.ts'

export type Claims = Readonly<Record<string, unknown>>

const maxGroups = 1000

/** Returns the account that the claims of an issuer describe; undefined if they do not identify one. */
export function accountOf(
  claims: Claims,
  {
    issuer,
    subjectClaim,
    nameClaim,
    groupsClaim,
  }: Pick<OidcSettings, 'issuer' | 'subjectClaim' | 'nameClaim' | 'groupsClaim'>,
): ProviderAccount | undefined {
  const subject = textClaim(claims, subjectClaim)
  if (subject === undefined) return undefined
  const email = textClaim(claims, 'email')
  const verified = claims['email_verified']
  return {
    source: 'oidc',
    provider: providerName(issuer),
    subject,
    name: textClaim(claims, nameClaim) ?? email ?? subject,
    email,
    isEmailVerified: email !== undefined && (verified === true || verified === 'true'),
    groups: groupsOf(claims, groupsClaim),
  }
}

/** Name of the issuer in stored identities. */
export function providerName(issuer: URL): string {
  return `oidc ${issuer.href.replace(/\/$/, '')}`
}

/** Groups of a claim, whose name may be a path such as `realm_access.roles`. Keycloak's paths lose the first slash. */
function groupsOf(claims: Claims, path: string): string[] | undefined {
  const value = claimAt(claims, path)
  if (value === undefined) return undefined
  const list = Array.isArray(value) ? value : [value]
  return list
    .filter((one): one is string => typeof one === 'string' && one !== '')
    .slice(0, maxGroups)
    .map((one) => one.replace(/^\//, ''))
}

function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  let at: unknown = claims
  for (const key of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as Record<string, unknown>)[key]
  }
  return at
}

export function textClaim(claims: Claims, name: string): string | undefined {
  const value = claims[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** True if a token is meant for one of these. */
export function isFor(claims: Claims, ...audiences: readonly string[]): boolean {
  const { aud } = claims
  return (Array.isArray(aud) ? aud : [aud]).some((one) => audiences.includes(String(one)))
}

/** Returns why the times of a token do not hold now; undefined if they do. */
export function whyNotNow(claims: Claims, nowSeconds: number, skewSeconds: number): string | undefined {
  const { exp, nbf, iat } = claims
  if (typeof exp !== 'number') return 'it has no end ("exp")'
  if (exp + skewSeconds < nowSeconds) return 'it is out of date ("exp"): compare the clocks of both servers'
  if (typeof nbf === 'number' && nbf - skewSeconds > nowSeconds)
    return 'it is not good yet ("nbf"): compare the clocks of both servers'
  if (typeof iat === 'number' && iat - skewSeconds > nowSeconds)
    return 'it was made in the future ("iat"): compare the clocks of both servers'
  return undefined
}
