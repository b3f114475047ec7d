import { readFileSync } from 'node:fs'
import type { Secret } from '../secrets/secret.ts'
import type { Reader } from './parse.ts'
import { parseWebUrl } from './parse.ts'

/** Extent of the rights that roles have without permissions. */
const extents = ['open', 'granted'] as const

/** Groups of a sign-in provider that decide about roles. */
export interface RoleGroups {
  adminGroup: string | undefined
  staffGroup: string | undefined
}

/** Account linking: never, or by an e-mail address that the provider has verified. */
const linkModes = ['none', 'email'] as const
export type LinkMode = (typeof linkModes)[number]

/** OpenID Connect provider. */
export interface OidcSettings extends RoleGroups {
  issuer: URL
  clientId: string
  /** Absent for a public client. */
  clientSecret: Secret | undefined
  scopes: string
  /** Path of the claim with the groups, such as `realm_access.roles`. */
  groupsClaim: string
  nameClaim: string
  /** Claim that permanently identifies a user. */
  subjectClaim: string
  /** Required audience of bearer access tokens. */
  audience: string
  /** Tolerated difference between the clocks. */
  skewSeconds: number
  link: LinkMode
  /** Name of the provider on the sign-in page. */
  title: string
}

/** LDAP directory. */
export interface LdapSettings extends RoleGroups {
  url: string
  startsTls: boolean
  /** PEM text of the certificate authorities. */
  ca: string | undefined
  /** Distinguished name of a user, with `{name}`; absent: users are searched. */
  userDn: string | undefined
  bindDn: string | undefined
  bindPassword: Secret | undefined
  base: string
  /** Search filter with the placeholder `{name}`. */
  filter: string
  groupBase: string | undefined
  /** Search filter of groups with the placeholders `{dn}` and `{name}`. */
  groupFilter: string
  groupName: string
  email: string
  link: LinkMode
}

/** User names from a trusted proxy. */
export interface HeaderSettings extends RoleGroups {
  header: string
  groupsHeader: string | undefined
  emailHeader: string | undefined
}

/** Sign-in and the audit log. */
export interface AccessSettings {
  /** `open`: users may read every layer; `granted`: only layers that permissions grant. */
  defaultRead: (typeof extents)[number]
  /** `open`: staff may do everything with layers and workspaces; `granted`: only what permissions grant. */
  staffScope: (typeof extents)[number]
  oidc: OidcSettings | undefined
  ldap: LdapSettings | undefined
  header: HeaderSettings | undefined
  /** Interval in which providers are asked whether their users still exist. */
  checkMinutes: number
  /** Number of days without confirmation by the provider after which API tokens of its users are refused. */
  confirmDays: number
  /** Minimum strength of passwords that users set, from 0 to 4. */
  passwordStrength: number
  /** The same for passwords that administrators set. */
  setPasswordStrength: number
  audit: AuditSettings
}

interface AuditSettings {
  keepDays: number
  syslog: SyslogSettings | undefined
}

/** Receiver of audit entries by RFC 5424. */
export interface SyslogSettings {
  protocol: 'udp' | 'tcp' | 'tls'
  host: string
  port: number
}

/** Reads the settings of sign-in and the audit log. */
export function readAccess(read: Reader, trustedProxies: readonly string[]): AccessSettings {
  return {
    defaultRead: read.choice('TERRANE_DEFAULT_READ', extents, 'open'),
    staffScope: read.choice('TERRANE_STAFF_SCOPE', extents, 'open'),
    oidc: readOidc(read),
    ldap: readLdap(read),
    header: readHeader(read, trustedProxies),
    checkMinutes: read.integer('TERRANE_SIGN_IN_CHECK', {
      unit: 'minutes',
      fallback: 60,
      min: 1,
      max: 10_080,
    }),
    confirmDays: read.integer('TERRANE_SIGN_IN_CONFIRM', { unit: 'days', fallback: 30, min: 1, max: 3650 }),
    passwordStrength: read.integer('TERRANE_PASSWORD_STRENGTH', {
      unit: 'zxcvbn score',
      fallback: 2,
      min: 0,
      max: 4,
    }),
    setPasswordStrength: read.integer('TERRANE_SET_PASSWORD_STRENGTH', {
      unit: 'zxcvbn score',
      fallback: 0,
      min: 0,
      max: 4,
    }),
    audit: {
      keepDays: read.integer('TERRANE_KEEP_AUDIT', { unit: 'days', fallback: 365, min: 1, max: 36_500 }),
      syslog: readSyslog(read),
    },
  }
}

function readOidc(read: Reader): OidcSettings | undefined {
  const address = read.text('TERRANE_OIDC_ISSUER', { type: 'URL' })
  const clientId = read.text('TERRANE_OIDC_CLIENT_ID')
  const rest = {
    clientSecret: read.secret('TERRANE_OIDC_CLIENT_SECRET'),
    scopes: read.text('TERRANE_OIDC_SCOPES', { default: '`openid profile email`' }) ?? 'openid profile email',
    groupsClaim: read.text('TERRANE_OIDC_GROUPS_CLAIM', { default: '`groups`' }) ?? 'groups',
    nameClaim:
      read.text('TERRANE_OIDC_NAME_CLAIM', { default: '`preferred_username`' }) ?? 'preferred_username',
    subjectClaim: read.text('TERRANE_OIDC_SUBJECT_CLAIM', { default: '`sub`' }) ?? 'sub',
    title: read.text('TERRANE_OIDC_TITLE', { default: 'host of the issuer' }),
    audience: read.text('TERRANE_OIDC_AUDIENCE', { default: 'client id' }),
    skewSeconds: read.integer('TERRANE_OIDC_SKEW', { unit: 'seconds', fallback: 30, min: 0, max: 600 }),
    link: read.choice('TERRANE_OIDC_LINK', linkModes, 'none'),
    ...readRoleGroups(read, 'TERRANE_OIDC_ADMIN_GROUP', 'TERRANE_OIDC_STAFF_GROUP'),
  }
  if (address === undefined) return undefined
  const issuer = parseWebUrl(address)
  if (clientId === undefined)
    read.problem(
      'TERRANE_OIDC_CLIENT_ID',
      'is needed with TERRANE_OIDC_ISSUER: the client id at the provider',
    )
  if (issuer === undefined || !isSafe(issuer)) {
    const text = `must be an https address (http only on this machine), found "${address}"`
    read.problem('TERRANE_OIDC_ISSUER', text)
    return undefined
  }
  const scopes = rest.scopes.split(/[\s,]+/)
  if (!scopes.includes('openid')) read.problem('TERRANE_OIDC_SCOPES', 'must contain "openid"')
  const { audience = clientId ?? '', title = issuer.host } = rest
  return { ...rest, issuer, clientId: clientId ?? '', scopes: scopes.join(' '), audience, title }
}

function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

function readRoleGroups(read: Reader, admin: string, staff: string): RoleGroups {
  return { adminGroup: read.text(admin), staffGroup: read.text(staff) }
}

const defaultGroupFilter = '(|(member={dn})(uniqueMember={dn})(memberUid={name}))'

function readLdap(read: Reader): LdapSettings | undefined {
  const url = read.text('TERRANE_LDAP_URL', { type: 'URL' })
  const settings = {
    startsTls: read.flag('TERRANE_LDAP_STARTTLS', false),
    ca: readCertificates(read),
    userDn: read.text('TERRANE_LDAP_USER_DN'),
    bindDn: read.text('TERRANE_LDAP_BIND_DN'),
    bindPassword: read.secret('TERRANE_LDAP_BIND_PASSWORD'),
    base: read.text('TERRANE_LDAP_BASE') ?? '',
    filter: read.text('TERRANE_LDAP_FILTER', { default: '`(uid={name})`' }) ?? '(uid={name})',
    groupBase: read.text('TERRANE_LDAP_GROUP_BASE', { default: 'no groups' }),
    groupFilter:
      read.text('TERRANE_LDAP_GROUP_FILTER', {
        default: `\`${defaultGroupFilter.replaceAll('|', '\\|')}\``,
      }) ?? defaultGroupFilter,
    groupName: read.text('TERRANE_LDAP_GROUP_NAME', { default: '`cn`' }) ?? 'cn',
    email: read.text('TERRANE_LDAP_EMAIL', { default: '`mail`' }) ?? 'mail',
    link: read.choice('TERRANE_LDAP_LINK', linkModes, 'none'),
    ...readRoleGroups(read, 'TERRANE_LDAP_ADMIN_GROUP', 'TERRANE_LDAP_STAFF_GROUP'),
  }
  if (url === undefined) return undefined
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^ldaps?:$/.test(parsed.protocol) || parsed.username !== '') {
    read.problem('TERRANE_LDAP_URL', `must be an address such as ldaps://ldap.example.org, found "${url}"`)
    return undefined
  }
  checkLdap(read, settings, parsed)
  return { ...settings, url }
}

function checkLdap(
  read: Reader,
  { userDn, base, filter, startsTls, bindDn, bindPassword }: Omit<LdapSettings, 'url'>,
  url: URL,
): void {
  if (userDn === undefined && base === '')
    read.problem(
      'TERRANE_LDAP_BASE',
      'is needed to search users, or TERRANE_LDAP_USER_DN to bind without a search',
    )
  if (userDn !== undefined && !userDn.includes('{name}'))
    read.problem('TERRANE_LDAP_USER_DN', 'must contain {name}')
  if (!filter.includes('{name}')) read.problem('TERRANE_LDAP_FILTER', 'must contain {name}')
  if (bindDn !== undefined && bindPassword === undefined)
    read.problem('TERRANE_LDAP_BIND_PASSWORD', 'is needed with TERRANE_LDAP_BIND_DN')
  if (startsTls && url.protocol === 'ldaps:')
    read.problem(
      'TERRANE_LDAP_STARTTLS',
      'belongs to ldap:// addresses: ldaps:// is encrypted from the start',
    )
}

function readCertificates(read: Reader): string | undefined {
  const path = read.text('TERRANE_LDAP_CA', { type: 'path', default: "Node's list" })
  if (path === undefined) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch {
    read.problem('TERRANE_LDAP_CA', `names the file ${path}, which cannot be read`)
    return undefined
  }
}

function readHeader(read: Reader, trustedProxies: readonly string[]): HeaderSettings | undefined {
  const header = read.text('TERRANE_AUTH_HEADER')
  const groupsHeader = read.text('TERRANE_AUTH_GROUPS_HEADER')
  const emailHeader = read.text('TERRANE_AUTH_EMAIL_HEADER')
  const groups = readRoleGroups(read, 'TERRANE_AUTH_ADMIN_GROUP', 'TERRANE_AUTH_STAFF_GROUP')
  if (header === undefined) return undefined
  for (const [name, value] of [
    ['TERRANE_AUTH_HEADER', header],
    ['TERRANE_AUTH_GROUPS_HEADER', groupsHeader],
    ['TERRANE_AUTH_EMAIL_HEADER', emailHeader],
  ] as const)
    if (value !== undefined && !isHeaderName(value))
      read.problem(name, `must be the name of a header such as X-Remote-User, found "${value}"`)
  if (trustedProxies.length === 0)
    read.problem(
      'TERRANE_AUTH_HEADER',
      'needs TERRANE_TRUSTED_PROXIES: the header counts only from those addresses',
    )
  const lower = (text: string | undefined): string | undefined => text?.toLowerCase()
  return {
    header: header.toLowerCase(),
    groupsHeader: lower(groupsHeader),
    emailHeader: lower(emailHeader),
    ...groups,
  }
}

/** False for headers that every client sends, since they cannot contain a user name. */
function isHeaderName(text: string): boolean {
  return /^[\w-]{1,100}$/.test(text) && !/^(authorization|cookie|host|origin|referer|user-agent)$/i.test(text)
}

function readSyslog(read: Reader): SyslogSettings | undefined {
  const text = read.text('TERRANE_AUDIT_SYSLOG', { type: 'URL' })
  if (text === undefined) return undefined
  const [, protocol, host = '', port] =
    /^(udp|tcp|tls):\/\/(\[[\da-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?\/?$/i.exec(text) ?? []
  const known = (['udp', 'tcp', 'tls'] as const).find((one) => one === protocol?.toLowerCase())
  const number = port === undefined ? (known === 'tls' ? 6514 : 514) : Number(port)
  if (known !== undefined && number > 0 && number <= 65_535)
    return { protocol: known, host: host.replace(/^\[|\]$/g, ''), port: number }
  read.problem(
    'TERRANE_AUDIT_SYSLOG',
    `must be an address such as tls://logs.example.org:6514, found "${text}"`,
  )
  return undefined
}
