import { createHash, createPrivateKey, generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { Provider } from 'oidc-provider'

/** Claims as Keycloak sends them (group paths, realm roles), or Entra ID (groups by id, `oid`, issuer of a tenant). */
export type IssuerShape = 'keycloak' | 'entra'

export const clientId = 'terrane'
export const clientSecret = 'a-secret-of-the-client'
export const redirectHost = 'http://terrane.test'
export const tenant = '5b1e0d1c-0000-4000-8000-000000000001'

interface TestAccount {
  claims: Record<string, unknown>
}

/** A running oidc-provider whose users sign in without a form. */
export interface TestIssuer {
  url: string
  /** Name of the account that signs in next. */
  account: string
  accounts: Map<string, TestAccount>
  /** Changes the claims of the next ID tokens. */
  tamper: ((claims: Record<string, unknown>) => Record<string, unknown>) | undefined
  /** Signs a token with the current key. */
  sign(claims: Record<string, unknown>, header?: Record<string, unknown>): string
  /** Replaces the signing key, as a rotation does. */
  rotate(): void
  /** Signs in and returns the address to which the provider redirects. */
  follow(start: string): Promise<string>
  close(): Promise<void>
}

interface SigningKey {
  jwk: JsonWebKey & { kid: string }
  id: string
}

function createKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const exported = privateKey.export({ format: 'jwk' })
  const id = createHash('sha256').update(String(exported.n)).digest('hex').slice(0, 16)
  return { jwk: { ...exported, kid: id, use: 'sig', alg: 'RS256' } as SigningKey['jwk'], id }
}

/** Options of an issuer. */
interface IssuerOptions {
  /** A certificate that nobody trusts. */
  tls?: { key: string; cert: string }
  /** Address of Terrane; default `redirectHost`. */
  client?: string
}

/** Starts an issuer. */
export async function startIssuer(
  shape: IssuerShape,
  { tls, client = redirectHost }: IssuerOptions = {},
): Promise<TestIssuer> {
  const state: { key: SigningKey; provider?: Provider } = { key: createKey() }
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    void answer(request, response)
  }
  const server = tls === undefined ? createServer(handle) : createTlsServer(tls, handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const path = shape === 'entra' ? `/${tenant}/v2.0` : '/realms/city'
  const url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}${path}`
  const issuer: TestIssuer = {
    url,
    account: 'anna',
    accounts: new Map(),
    tamper: undefined,
    sign: (claims, header = {}) => signToken(state.key, claims, header),
    rotate: () => {
      state.key = createKey()
      state.provider = createProvider(issuer, state.key, client)
    },
    follow: (start) => follow(start),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  state.provider = createProvider(issuer, state.key, client)

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { provider } = state
    const address = request.url ?? ''
    if (provider === undefined || !address.startsWith(path)) return void response.writeHead(404).end()
    if (address.startsWith(`${path}/interaction/`))
      return finishInteraction(provider, issuer, request, response)
    request.url = address.slice(path.length)
    Object.assign(request, { originalUrl: address, baseUrl: path })
    provider.callback()(request, response)
  }
  return issuer
}

async function finishInteraction(
  provider: Provider,
  { account }: TestIssuer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params } = await provider.interactionDetails(request, response)
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId: account } })
    return
  }
  const grant = new provider.Grant({ accountId: account, clientId: String(params['client_id']) })
  grant.addOIDCScope('openid profile email offline_access')
  await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
}

function createProvider(issuer: TestIssuer, key: SigningKey, client: string): Provider {
  const provider = new Provider(issuer.url, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: [`${client}/rest/security/oidc/callback`],
        post_logout_redirect_uris: [`${client}/app`],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
    jwks: { keys: [key.jwk as never] },
    cookies: { keys: ['test'] },
    interactions: {
      url: (_ctx, interaction) => `${new URL(issuer.url).pathname}/interaction/${interaction.uid}`,
    },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
    conformIdTokenClaims: false,
    claims: {
      openid: [
        'sub',
        'oid',
        'groups',
        'realm_access',
        'preferred_username',
        'email',
        'email_verified',
        'tid',
      ],
    },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    ttl: { RefreshToken: 3600 },
    findAccount: (_ctx, sub) => {
      const found = issuer.accounts.get(sub)
      return found && { accountId: sub, claims: () => ({ sub, ...found.claims }) }
    },
  })
  provider.use(async (ctx, next) => {
    await next()
    const body = ctx.body as { id_token?: string } | undefined
    if (issuer.tamper === undefined || body?.id_token === undefined) return
    const claims = JSON.parse(Buffer.from(body.id_token.split('.')[1] ?? '', 'base64url').toString())
    ctx.body = { ...body, id_token: signToken(key, issuer.tamper(claims), {}) }
  })
  return provider
}

function signToken({ jwk, id }: SigningKey, claims: object, header: object): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const data = `${encode({ alg: 'RS256', kid: id, ...header })}.${encode(claims)}`
  return `${data}.${sign('sha256', Buffer.from(data), createPrivateKey({ key: jwk, format: 'jwk' })).toString('base64url')}`
}

/** Follows redirects like a browser until they lead to Terrane. */
async function follow(start: string): Promise<string> {
  const cookies = new Map<string, string>()
  let address = start
  for (let step = 0; step < 20; step += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(address, { redirect: 'manual', headers: { cookie } })
    for (const one of response.headers.getSetCookie()) {
      const [pair = ''] = one.split(';')
      const at = pair.indexOf('=')
      cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    const location = response.headers.get('location')
    if (location === null) throw new Error(`${address} answers ${response.status}: ${await response.text()}`)
    address = new URL(location, address).href
    if (address.startsWith(redirectHost)) return address
  }
  throw new Error(`${start} redirects too often`)
}
